import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/domain/json.js';
import { drained } from '../../../src/platform/archive/drained.js';

/** One request as the provider received it. */
export interface WireRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
  bytes: number;
}

/** What goes out: whole pieces, each written on its own. */
export interface WireAnswer {
  status?: number;
  headers?: Record<string, string>;
  pieces: (string | Buffer)[];
  /** Before the first byte, in milliseconds. */
  delayMs?: number;
  /** Closes the connection behind the last piece instead of ending the answer. */
  cut?: boolean;
}

export interface WireProvider {
  url: string;
  requests: WireRequest[];
  close(): Promise<void>;
}

/** A model provider that answers byte for byte what it is told, in whichever dialect. */
export async function startWireProvider(
  answer: (request: WireRequest) => WireAnswer | Promise<WireAnswer>,
): Promise<WireProvider> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    const reply = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      const request: WireRequest = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: JSON.parse(bytes.toString('utf8')) as JsonObject,
        bytes: bytes.length,
      };
      requests.push(request);
      await send(response, await answer(request));
    };
    reply().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function send(response: ServerResponse, answer: WireAnswer): Promise<void> {
  if (answer.delayMs !== undefined) await sleep(answer.delayMs);
  response.writeHead(answer.status ?? 200, answer.headers ?? { 'content-type': 'application/json' });
  for (const piece of answer.pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  if (answer.cut === true) {
    // What was sent must arrive, and goes out when this turn of the loop ends; only the end of the answer is missing.
    await nextTurn();
    response.socket?.destroySoon();
  } else response.end();
}
