import net from 'node:net';

export interface LoopbackBridge {
  /** Base address of the runner plane for programs that only speak TCP, for example `http://127.0.0.1:41234`. */
  url: string;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 64;

/**
 * Carries bytes between 127.0.0.1 and the plane socket (docs/design/sandbox.md). It adds nothing and holds no token: whoever
 * connects inside the sandbox could open the socket itself, and every route there asks for a token.
 */
export async function openLoopbackBridge(socketPath: string): Promise<LoopbackBridge> {
  const open = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const plane = net.connect({ path: socketPath, allowHalfOpen: true });
    for (const socket of [client, plane]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      // Either side may disappear; the other one is then closed.
      socket.on('error', () => [client, plane].forEach((side) => side.destroy()));
    }
    client.pipe(plane);
    plane.pipe(client);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the loopback bridge has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
