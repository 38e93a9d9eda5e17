import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  body: string;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * One kept-alive HTTP/1.1 connection that sends one request at a time. It reads only what the measured servers send, so that the
 * load generator takes as little as possible of the two cores that it shares with them.
 */
export class HttpConnection {
  private received = '';
  private waiting: Waiting | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.receive(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  exchange(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.waiting !== null) throw new Error('a request is under way on this connection');
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = null;
    this.socket.destroy();
  }

  private receive(chunk: string): void {
    this.received = this.received === '' ? chunk : this.received + chunk;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.received.slice(0, headEnd + 2));
    const bodyStart = headEnd + 4;
    if (length === null) {
      if (!this.received.endsWith('\r\n0\r\n\r\n')) return;
    } else if (this.received.length < bodyStart + Number(length[1])) {
      return;
    }
    const answer = { status: Number(this.received.slice(9, 12)), body: this.received.slice(bodyStart) };
    this.received = '';
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.resolve(answer);
  }

  private fail(error: Error): void {
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.reject(error);
  }
}

/** The text of a POST with a JSON body in ASCII. */
export function postRequest(path: string, token: string, body: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: bench',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** The text of a GET. */
export function getRequest(path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'bench', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`GET ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}
