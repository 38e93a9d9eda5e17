import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { FoundLine, SliceResult } from './fuzz-slice.js';
import { fuzzSlice, shortened } from './fuzz-slice.js';
import { Oracle } from './oracle.js';

/**
 * `npm run fuzz:shell -- --slices 1000 --slice-lines 1000 --from 0 --state FILE --jobs 1 [--stop-on-find] [--any-version]`: slices of
 * generated lines, each told in one line of the state file when it has ended; those that it tells already are left out, unless
 * the analysis or the generators have changed since. Exit code 1 when a line did what its analysis does not list.
 */
const { values: options } = parseArgs({
  options: {
    slices: { type: 'string', default: '1000' },
    'slice-lines': { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    state: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    'stop-on-find': { type: 'boolean', default: false },
    'any-version': { type: 'boolean', default: false },
  },
});

/** A slice in the state file. */
interface Told extends SliceResult {
  slice: number;
  version: string;
  seconds: number;
}

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))).replace(/\/dist$/, '');
/** Findings of one kind that are shortened; more of them mostly say the same. */
const SHORTENED = 5;
/** A machine with other work may hold up a line for long without anything being wrong. */
const LINE_LIMIT_MS = 2000;

const lines = wholeNumber('slice-lines');
const version = sourceVersion();
const told = readState();
const waiting = Array.from({ length: wholeNumber('slices') }, (_, i) => wholeNumber('from') + i).filter(
  (slice) => !told.some((one) => one.slice === slice && one.lines === lines),
);
const shown = new Map<string, number>();
const total = { slices: 0, lines: 0, judged: 0, acted: 0, found: 0 };
for (const one of told) count(one);
const resumed = total.slices;
const started = Date.now();

await Promise.all(Array.from({ length: wholeNumber('jobs') }, work));
const share = (part: number): string => `${((100 * part) / Math.max(1, total.lines)).toFixed(1)} %`;
console.log(
  `${total.lines} lines in ${total.slices} slices (${resumed} of them from the state file), ${share(total.judged)} judged and run, ${share(total.acted)} did something; ${total.found} did what was not listed`,
);
process.exitCode = total.found === 0 ? 0 : 1;

async function work(): Promise<void> {
  const oracle = Oracle.start(LINE_LIMIT_MS);
  try {
    for (let slice = waiting.shift(); slice !== undefined; slice = waiting.shift()) await runSlice(oracle, slice);
  } finally {
    await oracle.stop();
  }
}

async function runSlice(oracle: Oracle, slice: number): Promise<void> {
  const since = Date.now();
  const result = await fuzzSlice(oracle, slice, lines);
  const one: Told = { slice, version, seconds: (Date.now() - since) / 1000, ...result };
  count(one);
  for (const found of result.found) await show(oracle, slice, found);
  if (options.state !== undefined) appendFileSync(options.state, `${JSON.stringify(one)}\n`);
  if (options['stop-on-find'] && result.found.length > 0) waiting.length = 0;
  const perSecond = Math.round(((total.slices - resumed) * lines * 1000) / (Date.now() - started));
  process.stderr.write(`slice ${slice}: ${result.judged} judged, ${result.found.length} found; ${perSecond} lines/s\n`);
}

async function show(oracle: Oracle, slice: number, { kind, line, findings }: FoundLine): Promise<void> {
  const [first] = findings;
  const known = `${kind} ${first!.kind}`;
  shown.set(known, (shown.get(known) ?? 0) + 1);
  const short = shown.get(known)! <= SHORTENED ? await shortened(oracle, line, first!.kind) : line;
  console.log(JSON.stringify({ slice, kind, short, findings: findings.slice(0, 3), ...(short !== line && { line }) }));
}

function count({ lines: run, judged, acted, found }: Told): void {
  total.slices++;
  total.lines += run;
  total.judged += judged;
  total.acted += acted;
  total.found += found.length;
}

function readState(): Told[] {
  if (options.state === undefined || !existsSync(options.state)) return [];
  const all = readFileSync(options.state, 'utf8').split('\n').filter(Boolean);
  const slices = all.map((line) => JSON.parse(line) as Told);
  return slices.filter((one) => one.version === version || options['any-version']);
}

/** Of everything on which the outcome of a slice depends. */
function sourceVersion(): string {
  const digest = createHash('sha256');
  for (const folder of ['src/domain/policy', 'test/support/shell']) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort();
    for (const file of files) {
      if (!/(?<!\.spec)\.(?:ts|c|h|json)$/.test(file)) continue;
      digest.update(`${file}\0`).update(readFileSync(join(root, folder, file)));
    }
  }
  return digest.digest('hex').slice(0, 12);
}

function wholeNumber(name: 'slices' | 'slice-lines' | 'from' | 'jobs'): number {
  const number = Number(options[name]);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} takes a whole number`);
  return number;
}
