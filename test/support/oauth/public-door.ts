import { connect as dial, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** An address that is known before the API behind it has a port. */
export interface PublicDoor {
  url: string;
  leadTo(url: string): void;
  close(): void;
  server: Server;
}

/** Opens one; it leads nowhere until it is told where. */
export async function publicDoor(): Promise<PublicDoor> {
  let port = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    const inner = dial(port, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const)
      one.on('error', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    port = 1;
    for (const socket of open) socket.destroy();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, leadTo: (to) => (port = Number(new URL(to).port)), close, server };
}
