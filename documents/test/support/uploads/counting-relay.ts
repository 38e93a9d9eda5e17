import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Passes connections on to an API that may die and come back, and counts what goes there. */
export class CountingRelay {
  /** Bytes toward the API since the last reset. */
  sentBytes = 0;
  /** Called as the bytes pass by. */
  onBytes: (sentBytes: number) => void = () => undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: { port: number },
  ) {}

  static async open(target: { port: number }): Promise<CountingRelay> {
    const server = createServer();
    const relay = new CountingRelay(server, target);
    server.on('connection', (client) => relay.pass(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(client: Socket): void {
    const api = connect(this.target.port, '127.0.0.1');
    for (const [socket, other] of [
      [client, api],
      [api, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      this.sentBytes += chunk.length;
      this.onBytes(this.sentBytes);
    });
    client.pipe(api);
    api.pipe(client);
  }
}
