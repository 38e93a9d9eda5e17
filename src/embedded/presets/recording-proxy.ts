import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { codeOf } from '../../domain/system-error.js';
import { openTunnel } from '../../platform/egress/dial.js';

const CONNECT_MS = 20_000;

/** A proxy on loopback that lets everything through and remembers where it led, as `host:port`. */
export class RecordingProxy {
  private readonly reached = new Set<string>();

  private constructor(
    private readonly server: Server,
    private readonly upstream: URL | null,
  ) {
    server.on('connect', (asked: IncomingMessage, client: Duplex) => void this.carry(asked.url ?? '', client));
    server.on('request', (asked: IncomingMessage, answer: ServerResponse) => this.forward(asked, answer));
  }

  /** @param upstream the proxy that this machine must use itself; null without one */
  static async start(upstream: URL | null): Promise<RecordingProxy> {
    const server = createServer();
    const proxy = new RecordingProxy(server, upstream);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Takes what was reached since the last time, in the order of the first connection. */
  take(): string[] {
    const taken = [...this.reached];
    this.reached.clear();
    return taken;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async carry(target: string, client: Duplex): Promise<void> {
    client.on('error', () => client.destroy());
    const colon = target.lastIndexOf(':');
    try {
      const signal = AbortSignal.timeout(CONNECT_MS);
      const [host, port] = [target.slice(0, colon), Number(target.slice(colon + 1))];
      const socket =
        this.upstream === null ? await open(host, port, signal) : await openTunnel(this.upstream, host, port, signal);
      this.reached.add(target);
      socket.on('error', () => client.destroy());
      client.on('close', () => socket.destroy());
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(client).pipe(socket);
    } catch (cause) {
      client.end(`HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nx-cause: ${codeOf(cause) ?? 'unreachable'}\r\n\r\n`);
    }
  }

  /** Plain HTTP names the whole address, and is sent on as it came. */
  private forward(asked: IncomingMessage, answer: ServerResponse): void {
    const address = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : null;
    if (address?.protocol !== 'http:') {
      answer.writeHead(400).end();
      return;
    }
    const to = this.upstream ?? address;
    const sent = request({
      ...{ host: to.hostname, port: to.port === '' ? 80 : Number(to.port), method: asked.method },
      ...{ headers: asked.headers, path: this.upstream === null ? address.pathname + address.search : asked.url },
    });
    sent.on('response', (response) => {
      this.reached.add(`${address.hostname}:${address.port === '' ? 80 : address.port}`);
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    asked.pipe(sent);
  }
}

function open(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, signal });
  socket.once('connect', () => resolve(socket));
  socket.once('error', reject);
  return promise;
}
