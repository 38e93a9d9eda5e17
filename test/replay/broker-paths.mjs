import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';

const ECHO = { name: 'echo', description: 'Answers.', inputSchema: { type: 'object' } };
/** Far longer than the silence after which a worker counts as gone. */
const NEVER_MS = 120_000;

/** An MCP server for the runs of the recorder; an argument `hang` makes it leave a call unanswered. */
export class Upstream {
  hanging = 0;

  static async start() {
    const upstream = new Upstream();
    upstream.server = createServer((request, response) => upstream.answer(request, response)).listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    upstream.url = `http://127.0.0.1:${upstream.server.address().port}/mcp`;
    return upstream;
  }

  get environment() {
    return { SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8', SERVICE_EGRESS_RATE_CONNECTION_PER_MIN: '0' };
  }

  async prepare(stage) {
    await stage.call('POST', '/v1/connections', { provider: 'mcp_http', base_url: this.url, token: 'key' });
    await stage.call('POST', '/v1/agents', {
      name: 'caller',
      harness: 'replay',
      policy: 'unrestricted',
      connection_requirements: [
        { slot: 'kb', connector: { url: this.url }, required_tools: ['echo'], binding_mode: 'organization' },
      ],
    });
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }

  async answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) {
      response.writeHead(request.method === 'DELETE' ? 204 : 202).end();
      return;
    }
    if (message.params?.arguments?.hang === true) {
      this.hanging += 1;
      setTimeout(() => response.destroy(), NEVER_MS).unref();
      return;
    }
    const result = resultOf(message);
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'recorder' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }
}

function resultOf({ method, params }) {
  if (method === 'tools/list') return { tools: [ECHO] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] };
  const serverInfo = { name: 'recorder', version: '1' };
  return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
}

const calls = (count) => Array.from({ length: count }, (_, n) => ({ tool: 'mcp__kb__echo', input: { n } }));

/** Paths of runs that call brokered tools. */
export const brokerPaths = (upstream) => ({
  'run-brokered': async (stage) => {
    const id = await stage.start('caller', calls(2));
    await stage.until(id, 'completed');
    return stage.closed(id);
  },
  'run-brokered-lost': async (stage) => {
    const before = upstream.hanging;
    const id = await stage.start('caller', [{ tool: 'mcp__kb__echo', input: { hang: true } }, { say: 'on' }]);
    await stage.wait('the call to arrive', async () => (upstream.hanging > before ? true : undefined));
    process.kill(-stage.installation.pids.worker, 'SIGKILL');
    await stage.until(id, 'completed');
    return stage.closed(id);
  },
  'run-brokered-continued': async (stage) => {
    const id = await stage.start('caller', calls(30));
    const workflowId = `run-${id}`;
    const runId = await stage.wait('the first execution', async () => {
      const seen = await stage.client.workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => undefined);
      return seen?.runId;
    });
    await stage.until(id, 'completed');
    await stage.closed(id);
    return { workflowId, runId };
  },
});
