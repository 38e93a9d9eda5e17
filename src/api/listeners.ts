import { createServer, type RequestListener, type Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ListenAddress } from '../platform/config/index.js';
import { answerClientError } from './http/client-error.js';

/** What the server does with a request, whichever listener it came through. */
export function requestListenerOf(app: NestFastifyApplication): RequestListener {
  const server = app.getHttpAdapter().getInstance();
  return (request, response) => server.routing(request, response);
}

/** A listener of its own for the runner plane: `/internal` and nothing else (chapter 20 §1). */
export async function listenInternalOnly(app: NestFastifyApplication, address: ListenAddress): Promise<Server> {
  const handle = requestListenerOf(app);
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/internal/') === true) {
      handle(request, response);
      return;
    }
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'not found' }));
  });
  server.requestTimeout = 0;
  server.on('clientError', (error, socket) => answerClientError(error, socket as import('node:net').Socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return server;
}
