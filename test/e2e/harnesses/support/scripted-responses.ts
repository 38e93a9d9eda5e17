import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';

/** Items of one answer, or a refusal. */
export type Answer = JsonObject[] | { status: number; message: string; headers?: Record<string, string> };
/** `turn` counts the answers that the conversation of the request already holds, so that repeated requests play the same part. */
export type Script = (turn: number, body: JsonObject) => Answer;

/**
 * OpenAI's Responses API played by a script over its real wire format, on a free port of 127.0.0.1. Unlike the demo's provider it sends any
 * item as it is: calls of namespaces, of other programs, and of tools that nobody offered.
 */
export class ScriptedResponses {
  readonly requests: JsonObject[] = [];

  private constructor(
    private readonly server: http.Server,
    private readonly script: (body: JsonObject) => Answer,
  ) {
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(script: (body: JsonObject) => Answer): Promise<ScriptedResponses> {
    const server = http.createServer();
    const scripted = new ScriptedResponses(server, script);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  /** For `SERVICE_LLM_OPENAI_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks = await request.toArray();
    const body: unknown = JSON.parse(Buffer.concat(chunks as Buffer[]).toString('utf8') || '{}');
    if (request.url !== '/v1/responses' || !isJsonObject(body)) {
      response.writeHead(404).end();
      return;
    }
    this.requests.push(body);
    const answer = this.script(body);
    if (Array.isArray(answer)) return stream(response, `resp_${this.requests.length}`, answer);
    const error = { message: answer.message, type: 'invalid_request_error', param: null, code: null };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify({ error }));
  }
}

const USAGE = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 200 },
  output_tokens: 80,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1280,
};

function stream(response: http.ServerResponse, id: string, output: JsonObject[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sequence = 0;
  const send = (type: string, data: JsonObject): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`);
  };
  send('response.created', { response: { id, object: 'response', status: 'in_progress', output: [] } });
  for (const [index, item] of output.entries()) {
    send('response.output_item.added', { output_index: index, item });
    send('response.output_item.done', { output_index: index, item });
  }
  send('response.completed', { response: { id, object: 'response', status: 'completed', output, usage: USAGE } });
  response.end();
}

/** How many answers of the model the conversation of a request holds: each is followed by results or by the user. */
export function turnsOf(body: JsonObject): number {
  let turns = 0;
  let inside = false;
  for (const item of itemsOf(body)) {
    const own = isOwn(item);
    if (own && !inside) turns += 1;
    inside = own;
  }
  return turns;
}

function isOwn(item: JsonObject): boolean {
  const { type, role } = item;
  return role === 'assistant' || (typeof type === 'string' && type.endsWith('_call'));
}

export function itemsOf(body: JsonObject): JsonObject[] {
  return Array.isArray(body['input']) ? body['input'].filter((item) => isJsonObject(item)) : [];
}

export function say(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: `msg_${text.length}`, role: 'assistant', phase: 'final_answer', content };
}

export function call(id: string, name: string, input: JsonObject): JsonObject {
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) };
}

export const run = (id: string, cmd: string, more: JsonObject = {}): JsonObject =>
  call(id, 'exec_command', { cmd, ...more });

export function patch(id: string, ...lines: string[]): JsonObject {
  const input = ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
  return { type: 'custom_tool_call', id: `ctc_${id}`, call_id: id, name: 'apply_patch', input };
}
