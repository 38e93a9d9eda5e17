import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy that takes tunnels (CONNECT) and leads every one of them to 127.0.0.1, whatever host it names. */
export interface ConnectProxy {
  url: string;
  /** `host:port` of every tunnel that was asked for. */
  tunnels: string[];
  /** The `proxy-authorization` of each. */
  credentials: (string | undefined)[];
  /** Status with which tunnels are refused; null: they are opened. */
  refuseWith: number | null;
  close(): Promise<void>;
}

export async function startConnectProxy(): Promise<ConnectProxy> {
  const open = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, client) => {
    proxy.tunnels.push(request.url ?? '');
    proxy.credentials.push(request.headers['proxy-authorization']);
    open.add(client);
    if (proxy.refuseWith !== null) {
      client.end(`HTTP/1.1 ${proxy.refuseWith} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port: Number(request.url?.split(':').at(-1)) });
    open.add(upstream);
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: ConnectProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels: [],
    credentials: [],
    refuseWith: null,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
  return proxy;
}
