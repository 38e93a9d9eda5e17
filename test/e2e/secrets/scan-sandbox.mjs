// Runs inside a sandbox: looks for words in everything that a process there can read. The words are given backwards, so that
// neither this file nor its own command line is a finding. Prints what it found and how much it read, never the words.
import { readFileSync, readdirSync, lstatSync } from 'node:fs';
import { basename, join } from 'node:path';

const words = JSON.parse(readFileSync(new URL('./words.json', import.meta.url), 'utf8'));
const targets = Object.entries(words).map(([name, backwards]) => [
  name,
  Buffer.from([...backwards].reverse().join('')),
]);
const shape = /svc_sess_[0-9a-f]{64}/;
const OWN = new Set(['scan-sandbox.mjs', 'words.json']);
const SKIPPED = new Set(['/usr', '/proc', '/sys', '/dev', '/opt']);
const found = new Set();
let files = 0;
let processes = 0;

function look(path, bytes) {
  for (const [name, word] of targets) if (bytes.includes(word)) found.add(`${name}@${path}`);
  if (shape.test(bytes.toString('latin1'))) found.add(`token@${path}`);
}

function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (error.code === undefined) throw error;
    return undefined;
  }
}

function walk(folder) {
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const path = join(folder, name);
    const kind = attempt(() => lstatSync(path));
    if (kind?.isDirectory() && !SKIPPED.has(path)) walk(path);
    if (!kind?.isFile() || OWN.has(basename(path))) continue;
    const bytes = attempt(() => readFileSync(path));
    if (bytes === undefined) continue;
    files += 1;
    look(path, bytes);
  }
}

walk('/');
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  processes += 1;
  for (const part of ['environ', 'cmdline', 'maps', 'status', 'mountinfo']) {
    const bytes = attempt(() => readFileSync(`/proc/${pid}/${part}`));
    if (bytes !== undefined) look(`/proc/…/${part}`, bytes);
  }
}
look('process.env', Buffer.from(JSON.stringify(process.env)));
console.log(`SCAN ${JSON.stringify({ files, processes, found: [...found].sort() })}`);
