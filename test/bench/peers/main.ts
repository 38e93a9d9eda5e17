import { loadavg } from 'node:os';
import { BenchStack } from '../bench-stack.js';
import { describeMachine } from '../machine.js';
import { measureRow, printReport } from '../measure-row.js';
import { comparePolicies } from './cedar.js';
import { installPeers } from './installed-peers.js';
import { compareGateways } from './portkey.js';
import { compareSandboxes } from './sandbox-runtime.js';

const ROW_MS = 90_000;

const peer = installPeers();
const rows = [
  await measureRow('policy-against-cedar', ROW_MS, () =>
    Promise.resolve(comparePolicies(peer('@cedar-policy/cedar-wasm'), 10_000)),
  ),
  await measureRow('sandbox-against-sandbox-runtime', ROW_MS, () =>
    compareSandboxes(peer('@anthropic-ai/sandbox-runtime'), 10),
  ),
];
const stack = await BenchStack.start();
const machine = await describeMachine(stack);
rows.push(
  await measureRow('gateway-against-portkey', ROW_MS, () => compareGateways(stack, peer('@portkey-ai/gateway'))),
);
const report = {
  benchmark: 'sandgate-peers',
  date: new Date().toISOString(),
  machine: { ...machine, load_after: loadavg() },
  rows,
  met: rows.every((row) => row.met),
};
await stack[Symbol.asyncDispose]();
await printReport(report);
process.exit(0);
