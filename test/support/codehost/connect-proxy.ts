import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

interface ProxySettings {
  user: string;
  password: string;
  /** Port of loopback to which every tunnel leads, whatever it asks for. */
  leadTo: number;
}

/** An HTTP proxy that asks for a password and remembers which tunnels it was asked for. */
export class ConnectProxy implements AsyncDisposable {
  readonly targets: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly settings: ProxySettings,
  ) {
    server.on('connection', (socket) => this.sockets.add(socket));
    server.on('connect', (request: IncomingMessage, socket: Socket) => this.tunnel(request, socket));
  }

  static async start(settings: ProxySettings): Promise<ConnectProxy> {
    const server = createServer((_request, response) => response.writeHead(405).end());
    const proxy = new ConnectProxy(server, settings);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(host: string, password: string = this.settings.password): string {
    return `http://${this.settings.user}:${encodeURIComponent(password)}@${host}:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private tunnel(request: IncomingMessage, socket: Socket): void {
    const { user, password, leadTo } = this.settings;
    const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    socket.on('error', () => socket.destroy());
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\ncontent-length: 0\r\n\r\n',
      );
      return;
    }
    this.targets.push(request.url ?? '');
    const upstream = connect(leadTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    this.sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  }
}
