import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { BenchStack } from './bench-stack.js';
import { describeMachine } from './machine.js';
import { rounded, round, type FailedRow, type RowFindings, type RowResult } from './row.js';
import { approvals } from './rows/approvals.js';
import type { AloneRow, BenchOptions, BenchRow } from './rows/bench-row.js';
import { budgets } from './rows/budgets.js';
import { demo } from './rows/demo.js';
import { eventStreams } from './rows/event-streams.js';
import { gate } from './rows/gate.js';
import { ledger } from './rows/ledger.js';
import { manyRuns } from './rows/many-runs.js';
import { modelGateway } from './rows/model-gateway.js';
import { policy } from './rows/policy.js';
import { runStart } from './rows/run-start.js';
import { sandbox } from './rows/sandbox.js';

const ALONE: AloneRow[] = [demo, sandbox];
/** Those that say something about an idle installation come first. */
const ROWS: BenchRow[] = [runStart, manyRuns, policy, gate, ledger, eventStreams, approvals, modelGateway, budgets];
/** Bounds the whole run; rows that no longer fit are reported as not measured. */
const WHOLE_MS = 360_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const startedAt = performance.now();
const deadline = startedAt + (values.full ? 3_600_000 : WHOLE_MS);
const chosen = (row: { name: string }): boolean => positionals.length === 0 || positionals.includes(row.name);
const unknown = positionals.filter((name) => ![...ALONE, ...ROWS].some((row) => row.name === name));
if (unknown.length > 0) {
  const names = [...ALONE, ...ROWS].map((row) => row.name).join(', ');
  throw new Error(`no such row: ${unknown.join(', ')}; there are ${names}`);
}

const results: (RowResult | FailedRow)[] = [];
for (const row of ALONE.filter(chosen)) {
  results.push(await measure(row.name, row.timeoutMs, () => row.measureAlone(values)));
}
const stack = await BenchStack.start();
const machine = await describeMachine(stack);
for (const row of ROWS.filter(chosen)) {
  results.push(await measure(row.name, row.timeoutMs, () => row.measure(stack, values satisfies BenchOptions)));
}
const report = {
  benchmark: 'sandgate',
  date: new Date().toISOString(),
  settings: { ...values, fsync: 'on', synchronous_commit: 'on' },
  machine: { ...machine, load_after: loadavg() },
  rows: results,
  met: results.every((row) => row.met),
  seconds: round((performance.now() - startedAt) / 1000),
};
await stack[Symbol.asyncDispose]();
await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(report, null, 2)}\n`, () => resolve()));
process.exit(0);

async function measure(
  name: string,
  timeoutMs: number,
  work: () => Promise<RowFindings>,
): Promise<RowResult | FailedRow> {
  const start = performance.now();
  const load = loadavg()[0] ?? 0;
  const seconds = (): number => round((performance.now() - start) / 1000);
  const patience = Math.min(timeoutMs, deadline - start);
  try {
    if (patience <= 0) throw new Error('not measured: the time of the whole benchmark was over');
    const found = await within(patience, work());
    const met = found.targets.every((target) => target.met);
    process.stderr.write(`bench: ${name} ${met ? 'met' : 'SHORT'} in ${seconds()} s\n`);
    const figures = { values: rounded(found.values), baseline: rounded(found.baseline) };
    return { name, ...found, ...figures, met, seconds: seconds(), load: round(load) };
  } catch (error) {
    process.stderr.write(`bench: ${name} failed: ${(error as Error).stack}\n`);
    return { name, met: false, error: (error as Error).message, seconds: seconds() };
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${Math.round(ms / 1000)} s`)), ms);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
