import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { drained } from '../../../src/platform/archive/drained.js';

/** How the hostile server treats one request that it has read; what is not named here it answers as a good server would. */
export type Behaviour =
  | { kind: 'answer'; result?: unknown; as?: 'json' | 'sse' | 'array' }
  | { kind: 'error'; code: number; message: string }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'slow'; delayMs: number }
  /** Answered well, once something else has come to pass. */
  | { kind: 'held'; until: Promise<unknown> }
  /** No answer at all until the server is closed. */
  | { kind: 'hang' }
  /** The connection is reset: after the request was read, after the head of the answer, or in the middle of its body. */
  | { kind: 'cut'; at: 'request' | 'headers' | 'body' }
  | { kind: 'redirect'; to: string; status?: number }
  /** A body over every ceiling, announced by its length or not. */
  | { kind: 'oversized'; bytes: number; announced: boolean }
  /** Bytes as they are. */
  | { kind: 'raw'; contentType: string; body: string | Buffer }
  /** Asks the client for something so many times before it answers, in one event stream. */
  | { kind: 'asks'; requests: number; method?: string }
  /** The session is forgotten, as after a restart. */
  | { kind: 'session-lost' };

export const OK: Behaviour = { kind: 'answer' };

/** The JSON-RPC answer to a request, as text. */
export interface Prepared {
  id: unknown;
  /** What a good server would have answered. */
  message: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Writes what the behaviour says; resolves when nothing more will be written. */
export async function behave(
  behaviour: Behaviour,
  prepared: Prepared,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { id, message, headers } = prepared;
  const json = { ...headers, 'content-type': 'application/json' };
  const text = JSON.stringify(message);
  switch (behaviour.kind) {
    case 'answer': {
      const good = behaviour.result === undefined ? message : { jsonrpc: '2.0', id, result: behaviour.result };
      if (behaviour.as === 'sse') return eventStream(response, headers, [JSON.stringify(good)]);
      response.writeHead(200, json).end(JSON.stringify(behaviour.as === 'array' ? [good] : good));
      return;
    }
    case 'error':
      response
        .writeHead(200, json)
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: behaviour.code, message: behaviour.message } }));
      return;
    case 'status':
      response.writeHead(behaviour.status, { ...headers, ...behaviour.headers }).end(behaviour.body ?? '');
      return;
    case 'slow':
      await sleep(behaviour.delayMs, undefined, { ref: false });
      if (!response.destroyed) response.writeHead(200, json).end(text);
      return;
    case 'held':
      await behaviour.until;
      if (!response.destroyed) response.writeHead(200, json).end(text);
      return;
    case 'hang':
      return;
    case 'cut':
      return cut(behaviour.at, text, json, request, response);
    case 'redirect':
      response.writeHead(behaviour.status ?? 307, { location: behaviour.to }).end();
      return;
    case 'oversized':
      return oversized(behaviour, json, response);
    case 'raw':
      response.writeHead(200, { ...headers, 'content-type': behaviour.contentType }).end(behaviour.body);
      return;
    case 'asks': {
      const asked = Array.from({ length: behaviour.requests }, (_, index) =>
        JSON.stringify({
          jsonrpc: '2.0',
          id: `server-${index}`,
          method: behaviour.method ?? 'sampling/createMessage',
          params: {},
        }),
      );
      return eventStream(response, headers, [...asked, text]);
    }
    case 'session-lost':
      response.writeHead(404).end();
  }
}

function eventStream(response: ServerResponse, headers: Record<string, string>, messages: string[]): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`event: message\ndata: ${message}\n\n`);
  response.end();
}

async function cut(
  at: 'request' | 'headers' | 'body',
  text: string,
  json: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (at !== 'request') {
    response.writeHead(200, { ...json, 'content-length': String(Buffer.byteLength(text)) });
    if (at === 'headers') response.flushHeaders();
    else response.write(text.slice(0, Math.ceil(text.length / 2)));
    // What was written leaves before the connection is reset.
    await sleep(5);
  }
  request.socket.resetAndDestroy();
}

async function oversized(
  { bytes, announced }: { bytes: number; announced: boolean },
  json: Record<string, string>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, announced ? { ...json, 'content-length': String(bytes) } : json);
  const chunk = Buffer.alloc(65_536, ' ');
  for (let left = bytes; left > 0 && !response.destroyed; left -= chunk.length) {
    if (!response.write(chunk.subarray(0, Math.min(left, chunk.length)))) await drained(response);
  }
  if (!response.destroyed) response.end();
}
