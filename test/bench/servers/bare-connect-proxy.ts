import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { serve } from './report-port.js';

/** A proxy that takes tunnels and knows nothing of runs: one connection to 127.0.0.1, piped both ways. */
const server = createServer((_request, response) => response.writeHead(405).end());
server.on('connect', (request, client: Socket) => {
  const upstream = connect({ host: '127.0.0.1', port: Number(request.url?.split(':').at(-1)), noDelay: true });
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  client.on('error', end).on('close', end);
  upstream.on('error', end).on('close', end);
  upstream.once('connect', () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
});
serve(server);
