import { createServer } from 'node:http';
import { serve } from './report-port.js';

const TOOL = { name: 'echo', description: 'Answers with its arguments.', inputSchema: { type: 'object' } };

interface Message {
  id?: number;
  method: string;
  params?: { arguments?: unknown };
}

/** An MCP server that does the least that the protocol allows. */
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    const message = text === '' ? undefined : (JSON.parse(text) as Message);
    if (message?.id === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
      return;
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
});

function resultOf({ method, params }: Message): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'bench', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return { tools: [TOOL] };
  return { content: [{ type: 'text', text: JSON.stringify(params?.arguments ?? null) }] };
}

serve(server);
