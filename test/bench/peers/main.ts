import { loadavg } from 'node:os';
import { BenchStack } from '../bench-stack.js';
import { describeMachine } from '../machine.js';
import { measureRow, printReport } from '../measure-row.js';
import { comparePolicies } from './cedar.js';
import { compareGateway } from './gateway-peer.js';
import { installPeers } from './installed-peers.js';
import { litellm } from './litellm.js';
import { portkey } from './portkey.js';
import { compareSandboxes } from './sandbox-runtime.js';

const ROW_MS = 90_000;

const peers = installPeers();
const rows = [
  await measureRow('policy-against-cedar', ROW_MS, () =>
    Promise.resolve(comparePolicies(peers.packageOf('@cedar-policy/cedar-wasm'), 10_000)),
  ),
  await measureRow('sandbox-against-sandbox-runtime', ROW_MS, () =>
    compareSandboxes(peers.packageOf('@anthropic-ai/sandbox-runtime'), 10),
  ),
];
const stack = await BenchStack.start();
const machine = await describeMachine(stack);
for (const [name, peer] of [
  ['gateway-against-portkey', portkey(peers.packageOf('@portkey-ai/gateway'))],
  ['gateway-against-litellm', litellm(peers.litellm)],
] as const) {
  rows.push(await measureRow(name, ROW_MS, () => compareGateway(stack, peer)));
}
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
