import { Agent, request, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** Requests in plain HTTP on one connection that is open already, one after the other. It never makes a second connection. */
export class StreamClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
  private isTaken = false;

  /** @param stream held back until the first request is sent */
  constructor(
    private readonly stream: Socket,
    private readonly host: string,
    private readonly port: number,
  ) {
    this.agent.createConnection = () => this.take();
  }

  /** A request whose headers and body are the caller's; it has a host and nothing else. Emits `error` when the connection is over. */
  request(method: string | undefined, path: string): ClientRequest {
    const { agent, host, port } = this;
    const sent = request({ agent, host, port, method, path, setHost: false });
    sent.setHeader('host', port === 80 ? host : `${host}:${port}`);
    return sent;
  }

  private take(): Socket {
    if (this.isTaken || this.stream.destroyed) throw new Error('the connection to the host is over');
    this.isTaken = true;
    // The client of this connection listens from the next turn on.
    setImmediate(() => this.stream.resume());
    return this.stream;
  }
}
