import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ListenAddress } from '../platform/config/index.js';
import { answerClientError } from './http/client-error.js';
import { bindToInternalListener } from './internal/auth/plane-peer.js';
import { TunnelDoor } from './internal/tunnel/tunnel-door.js';

/** A listener of its own for the runner plane: `/internal` and nothing else (CP-052). The public one has no `/internal` then (CP-050). */
export async function listenInternalOnly(app: NestFastifyApplication, address: ListenAddress): Promise<Server> {
  const instance = app.getHttpAdapter().getInstance();
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/internal/') === true) {
      instance.routing(request, response);
      return;
    }
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'not found' }));
  });
  server.requestTimeout = 0;
  server.on('connection', bindToInternalListener);
  app.get(TunnelDoor, { strict: false }).attach(server);
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return server;
}
