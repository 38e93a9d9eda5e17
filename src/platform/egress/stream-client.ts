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
    this.agent.createConnection = (_options, done) => this.give(done);
  }

  /** A request whose headers and body are the caller's; it has a host and nothing else. Emits `error` when the connection is over. */
  request(method: string | undefined, path: string): ClientRequest {
    const { agent, host, port } = this;
    const sent = request({ agent, host, port, method, path, setHost: false });
    sent.setHeader('host', port === 80 ? host : `${host}:${port}`);
    return sent;
  }

  /** Never throws: the agent asks for the next request of a queue when nobody would catch it. */
  private give(done: ((error: Error | null, socket: Socket) => void) | undefined): undefined {
    if (this.isTaken || this.stream.destroyed) {
      done?.(new Error('the connection to the host is over'), this.stream);
      return;
    }
    this.isTaken = true;
    // The client of this connection listens from the next turn on.
    setImmediate(() => this.stream.resume());
    done?.(null, this.stream);
  }
}
