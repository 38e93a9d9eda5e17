import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Agent, request, stream } from 'undici';
import { serve, settings } from './report-port.js';

/**
 * A proxy on undici that passes bytes and knows nothing of models, in both forms that undici's manual shows. `request`: ask, then
 * pipe the body of the answer. `stream`: let undici write into the response, which costs half, but leaves no place for
 * anything in between.
 */
const { upstream, form } = settings<{ upstream: string; form: 'request' | 'stream' }>();
const dispatcher = new Agent({ connections: 512, pipelining: 1, keepAliveTimeout: 60_000 });
const url = `${upstream}/v1/messages`;
const headers = { 'content-type': 'application/json', 'x-api-key': 'bench' };

async function byRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await request(url, { dispatcher, method: 'POST', headers, body: incoming });
  response.writeHead(answer.statusCode, answer.headers);
  await pipeline(answer.body, response);
}

async function byStream(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  await stream(url, { dispatcher, method: 'POST', headers, body: incoming }, (answer) =>
    response.writeHead(answer.statusCode, answer.headers),
  );
}

const pass = form === 'request' ? byRequest : byStream;
serve(
  createServer((incoming, response) => {
    pass(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  }),
);
