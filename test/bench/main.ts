import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { BenchStack } from './bench-stack.js';
import { describeMachine, type Machine } from './machine.js';
import { measureRow, printReport } from './measure-row.js';
import { round, type FailedRow, type RowResult } from './row.js';
import { approvals } from './rows/approvals.js';
import type { AloneRow, BenchOptions, BenchRow } from './rows/bench-row.js';
import { brokeredCalls } from './rows/brokered-calls.js';
import { budgets } from './rows/budgets.js';
import { containerStart } from './rows/container-start.js';
import { demo } from './rows/demo.js';
import { eventStreams } from './rows/event-streams.js';
import { gate } from './rows/gate.js';
import { identityLists } from './rows/identity-lists.js';
import { identityReads } from './rows/identity-reads.js';
import { ledger } from './rows/ledger.js';
import { manyRuns } from './rows/many-runs.js';
import { modelGateway } from './rows/model-gateway.js';
import { policy } from './rows/policy.js';
import { policySimulate } from './rows/policy-simulate.js';
import { providers } from './rows/providers.js';
import { runStart } from './rows/run-start.js';
import { sandbox } from './rows/sandbox.js';
import { triggerInvoke } from './rows/trigger-invoke.js';
import { scheduleFiring } from './rows/schedule-firing.js';
import { webhookBursts } from './rows/webhook-bursts.js';
import { tunnel } from './rows/tunnel.js';
import { warmProjects } from './rows/warm-projects.js';
import { warmSetup } from './rows/warm-setup.js';

const ALONE: AloneRow[] = [
  demo,
  sandbox,
  containerStart,
  providers,
  warmProjects,
  triggerInvoke,
  webhookBursts,
  scheduleFiring,
  identityLists,
];
/** Each list gets a fresh installation, which its first row finds idle: starts in the first, resident memory in the second. */
const INSTALLATIONS: BenchRow[][] = [
  [
    runStart,
    policy,
    gate,
    ledger,
    eventStreams,
    approvals,
    modelGateway,
    budgets,
    policySimulate,
    brokeredCalls,
    tunnel,
    warmSetup,
    identityReads,
  ],
  [manyRuns],
];
/** Bounds the whole run; rows that no longer fit are reported as not measured. */
const WHOLE_MS = 480_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const startedAt = performance.now();
const deadline = startedAt + (values.full ? 3_600_000 : WHOLE_MS);
const patience = (row: { timeoutMs: number }): number => Math.min(row.timeoutMs, deadline - performance.now());
const chosen = (row: { name: string }): boolean => positionals.length === 0 || positionals.includes(row.name);
const names = [...ALONE, ...INSTALLATIONS.flat()].map((row) => row.name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(', ')}; there are ${names.join(', ')}`);

const results: (RowResult | FailedRow)[] = [];
for (const row of ALONE.filter(chosen)) {
  results.push(await measureRow(row.name, patience(row), () => row.measureAlone(values)));
}
let machine: Omit<Machine, 'load_after'> | null = null;
for (const rows of INSTALLATIONS) {
  const wanted = rows.filter(chosen);
  if (wanted.length === 0) continue;
  await using stack = await BenchStack.start();
  machine ??= await describeMachine(stack);
  for (const row of wanted) {
    results.push(await measureRow(row.name, patience(row), () => row.measure(stack, values satisfies BenchOptions)));
  }
}
await printReport({
  benchmark: 'sandgate',
  date: new Date().toISOString(),
  settings: { ...values, fsync: 'on', synchronous_commit: 'on' },
  machine: { ...machine, load_after: loadavg() },
  rows: results,
  met: results.every((row) => row.met),
  seconds: round((performance.now() - startedAt) / 1000),
});
process.exit(0);
