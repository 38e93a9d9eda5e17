import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from './report-port.js';

/**
 * A model provider that speaks the Messages wire format and does nothing else. The text of the request's only message says how:
 * `answer` at once and whole; `stream <first byte ms> <events> <gap ms>`; `bulk <megabytes>` as fast as the reader reads.
 */
const USAGE = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const MODEL = 'claude-haiku-4-5';
const WHOLE = JSON.stringify({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content: [{ type: 'text', text: 'The quick brown fox jumps over the lazy dog. '.repeat(10) }],
  stop_reason: 'end_turn',
  usage: USAGE,
});

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

const OPENING = frame('message_start', {
  message: { id: 'msg_bench', type: 'message', role: 'assistant', model: MODEL, content: [], usage: USAGE },
});
const CLOSING =
  frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } }) +
  frame('message_stop', {});

function delta(characters: number): string {
  return frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'x'.repeat(characters) } });
}

const SMALL = delta(40);
const LARGE = delta(16 * 1024);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readAll(request);
  const said = /"content":"([a-z0-9 ]+)"/.exec(text)?.[1] ?? 'answer';
  const [kind, ...numbers] = said.split(' ');
  if (kind === 'answer') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': WHOLE.length });
    response.end(WHOLE);
    return;
  }
  const [first = 0, second = 0, third = 0] = numbers.map(Number);
  if (kind === 'stream') await stream(response, first, second, third);
  else await pour(response, first);
  response.end(CLOSING);
}

async function stream(response: ServerResponse, firstByteMs: number, events: number, gapMs: number): Promise<void> {
  await delay(firstByteMs);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(OPENING);
  for (let index = 0; index < events; index += 1) {
    await delay(gapMs);
    response.write(SMALL);
  }
}

async function pour(response: ServerResponse, megabytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(OPENING);
  for (let bytes = 0; bytes < megabytes * 1024 * 1024; bytes += LARGE.length) {
    if (!response.write(LARGE)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.keepAliveTimeout = 60_000;
serve(server);
