import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Listens on every address of this machine, over TCP and UDP on one port, and counts whatever arrives. */
export class OutsideRecorder {
  arrivals = 0;

  private constructor(
    private readonly tcp: Server,
    private readonly udp: Socket,
    readonly port: number,
  ) {
    tcp.on('connection', (socket) => {
      this.arrivals += 1;
      socket.destroy();
    });
    udp.on('message', () => (this.arrivals += 1));
  }

  static async start(): Promise<OutsideRecorder> {
    const tcp = createServer().listen(0, '0.0.0.0');
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket('udp4').bind(port);
    await once(udp, 'listening');
    return new OutsideRecorder(tcp, udp, port);
  }

  /** An address of this machine that other machines would use; loopback when it has none. */
  get host(): string {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
  }

  async stop(): Promise<void> {
    this.udp.close();
    await once(this.tcp.close(), 'close');
  }
}
