/**
 * The broker's client as the official conformance scenarios drive it: what it does for a connection and a run, with nothing that
 * only a test would do. Usage: conformance-client.mjs <url>, with MCP_CONFORMANCE_SCENARIO set.
 */
import process from 'node:process';
import { Egress } from '../../../dist/src/platform/egress/egress.js';
import { McpSession } from '../../../dist/src/platform/mcp/mcp-session.js';
import { takeSnapshot, SnapshotError } from '../../../dist/src/platform/mcp/take-snapshot.js';
import { connect } from './conformance-connect.mjs';

const CALLS = {
  tools_call: ['add_numbers', { a: 5, b: 3 }],
  'elicitation-sep1034-client-defaults': ['test_client_elicitation_defaults', {}],
  'sse-retry': ['test_reconnection', {}],
};

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const egress = new Egress({ allowCidrs: ['127.0.0.0/8', '::1/128'], proxy: null });
const client = egress.guarded;
try {
  await (scenario.startsWith('auth/') ? connectAndCall() : call({}, CALLS[scenario]));
} catch (error) {
  console.log(`${error.name}: ${error.message}`);
  // Without a snapshot a server is not called; a scenario about the handshake ends here.
  if (!(error instanceof SnapshotError)) process.exitCode = 1;
} finally {
  await egress.close();
}

async function connectAndCall() {
  const refusal = await takeSnapshot({ client, url, headers: {} }).catch((error) => error);
  if (!(refusal instanceof SnapshotError) || refusal.reason !== 'credential') throw refusal;
  const headers = await connect(client, url, JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'));
  await call(headers, ['test-tool', {}]);
}

async function call(headers, wanted) {
  const frozen = await takeSnapshot({ client, url, headers });
  if (wanted === undefined) return;
  const [name, input] = wanted;
  const session = new McpSession({ client, url, headers: async () => headers, frozen, refreshPath: '/refresh' });
  const outcome = await session.callTool(name, JSON.stringify(input), new AbortController().signal);
  await session.end(headers);
  console.log(JSON.stringify(outcome));
}
