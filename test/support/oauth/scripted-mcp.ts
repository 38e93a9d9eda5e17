import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText, serveLocally, type LocalServer } from './local-server.js';

/** A small MCP server of its own that takes bearer tokens only, and says where its metadata is. */
export interface ScriptedMcp extends LocalServer {
  /** Its endpoint. */
  endpoint: string;
  /** Metadata of the protected resource by path; null answers 404. */
  documents: Map<string, unknown>;
  /** The challenge of a 401; null sends none. */
  challenge: string | null;
  /** Which tokens it takes. */
  accepts: (token: string) => boolean | Promise<boolean>;
  /** What it offers. */
  tools: readonly { name: string }[];
  /** Bearer tokens that it saw, in order. */
  seen: string[];
}

export async function startScriptedMcp(): Promise<ScriptedMcp> {
  const mcp: Partial<ScriptedMcp> = {
    documents: new Map(),
    challenge: null,
    accepts: () => true,
    tools: [{ name: 'echo' }, { name: 'add' }],
    seen: [],
  };
  const local = await serveLocally((request, response) => void handle(mcp as ScriptedMcp, request, response));
  return Object.assign(mcp, local, { endpoint: `${local.url}/mcp` }) as ScriptedMcp;
}

async function handle(mcp: ScriptedMcp, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  if (path.startsWith('/.well-known/')) {
    answer(response, mcp.documents.has(path) ? 200 : 404, mcp.documents.get(path) ?? {});
    return;
  }
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined) mcp.seen.push(token);
  if (token === undefined || !(await mcp.accepts(token))) {
    if (mcp.challenge !== null) response.setHeader('www-authenticate', mcp.challenge);
    answer(response, 401, { error: 'unauthorized' });
    return;
  }
  if (request.method !== 'POST') {
    answer(response, 405, {});
    return;
  }
  const { id, method } = JSON.parse(await readText(request)) as { id?: number; method: string };
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  answer(response, 200, { jsonrpc: '2.0', id, result: resultOf(mcp, method) });
}

function resultOf(mcp: ScriptedMcp, method: string): unknown {
  if (method === 'initialize') {
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'scripted', version: '1' },
    };
  }
  if (method === 'tools/list')
    return { tools: mcp.tools.map((tool) => ({ ...tool, inputSchema: { type: 'object' } })) };
  return { content: [{ type: 'text', text: 'done' }] };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
