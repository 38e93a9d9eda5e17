import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the build reads. */
const SOURCES = ['src', 'migrations', 'policies', 'harnesses', 'build', '.swcrc', 'package-lock.json'];

/** One digest over the names and contents of all that the build reads. */
export function sourceDigest(root) {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) addPath(hash, root, source);
  return hash.digest('hex');
}

export function fileDigest(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function addPath(hash, root, path) {
  const entry = statSync(join(root, path), { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (entry.isDirectory()) {
    for (const name of readdirSync(join(root, path)).sort()) addPath(hash, root, `${path}/${name}`);
    return;
  }
  if (path.endsWith('.spec.ts')) return;
  hash.update(`${path}\0${fileDigest(join(root, path))}\0`);
}
