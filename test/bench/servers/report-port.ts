import type { AddressInfo } from 'node:net';
import type { Server } from 'node:net';

/** Listens on a free loopback port, tells the parent, and ends with it. */
export function serve(server: Server): void {
  process.once('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

export function settings<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}
