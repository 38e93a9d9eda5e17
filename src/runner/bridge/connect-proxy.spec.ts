import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as sendRequest, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openConnectProxy, type ConnectProxy } from './connect-proxy.js';
import { RefusalLog } from './refusal-log.js';

const TOKEN = 'svc_sess_tool';

/** A control plane that opens tunnels to a host that sends everything back, and refuses what is called so. */
class Plane {
  readonly asked: { target: string; token: string | undefined }[] = [];
  readonly open = new Set<Socket>();
  private readonly server: Server = createServer((_request, response) => response.writeHead(426).end());

  static async start(path: string): Promise<Plane> {
    const plane = new Plane();
    plane.server.on('connection', (socket: Socket) => plane.open.add(socket));
    plane.server.on('upgrade', (request, socket: Socket) => plane.take(request, socket));
    plane.server.listen(path);
    await once(plane.server, 'listening');
    return plane;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private take(request: IncomingMessage, socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const target = String(request.headers['x-tunnel-target']);
    this.asked.push({ target, token: request.headers.authorization });
    if (target.startsWith('refused')) {
      const body = JSON.stringify({ error: `${target} is not in this run's "network"` });
      socket.end(`HTTP/1.1 403 Refused\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    } else if (target.startsWith('broken')) socket.destroy();
    else {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: sandgate-tunnel/1\r\n\r\n');
      if (target.startsWith('plain')) answerPlainly(socket);
      else socket.pipe(socket);
    }
  }
}

/** Says which request line it was asked. */
function answerPlainly(socket: Socket): void {
  socket.on('data', (chunk: Buffer) => {
    const said = chunk.toString().split('\r\n\r\n')[0] ?? '';
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${said.length}\r\n\r\n${said}`);
  });
}

describe('the proxy of a run', () => {
  let folder: string;
  let plane: Plane;
  let proxy: ConnectProxy;
  let refusals: RefusalLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxy-'));
    plane = await Plane.start(join(folder, 'plane.sock'));
    refusals = new RefusalLog();
    const address = { controlUrl: 'http://plane', socketPath: join(folder, 'plane.sock'), token: TOKEN };
    proxy = await openConnectProxy(address, refusals);
  });
  afterEach(async () => {
    await proxy.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(target: string, ahead = ''): Promise<{ head: string; socket: Socket; rest: string }> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port), allowHalfOpen: true });
    socket.on('error', () => socket.destroy());
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n${ahead}`);
    let text = '';
    while (!text.includes('\r\n\r\n')) text += String((await once(socket, 'data'))[0]);
    const [head = '', rest = ''] = text.split('\r\n\r\n');
    return { head, socket, rest };
  }

  it('asks the plane for a tunnel with the token that it alone holds, and carries both ways', async () => {
    const { head, socket } = await ask('a.example:443');
    expect(head).toBe('HTTP/1.1 200 Connection Established');
    expect(plane.asked).toEqual([{ target: 'a.example:443', token: `Bearer ${TOKEN}` }]);
    socket.write('there');
    expect(String((await once(socket, 'data'))[0])).toBe('there');
    socket.end('and back');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'end');
    expect(Buffer.concat(chunks).toString()).toBe('and back');
  });

  it('loses and reorders nothing, however slowly it is read', async () => {
    const { socket } = await ask('a.example:443');
    const sent = randomBytes(6 << 20);
    socket.end(sent);
    const received: Buffer[] = [];
    let chunks = 0;
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      chunks += 1;
      if (chunks % 7 !== 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), 3);
    });
    await once(socket, 'end');
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it('holds back what comes before the tunnel is open', async () => {
    const { socket, rest } = await ask('a.example:443', 'too early');
    const echoed = rest === '' ? String((await once(socket, 'data'))[0]) : rest;
    expect(echoed).toBe('too early');
    socket.destroy();
  });

  it.each([
    ['refused.example:443', 403, `Sandgate: refused.example:443 is not in this run's "network".`],
    ['broken.example:443', 502, 'Sandgate: the control plane could not be reached.'],
  ])('says why %s was not opened, and remembers it', async (target, status, words) => {
    const { head, socket, rest } = await ask(target);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z][A-Za-z ]+ \\(Sandgate: [^\r\n]+\\)\r\n`));
    expect(rest === '' ? String((await once(socket, 'data'))[0]) : rest).toBe(`${words}\n`);
    expect(refusals.since(0)).toContain(`1 connection was refused while this ran: ${target} — `);
  });

  it('takes requests in absolute form, and sends them on in that of an origin', async () => {
    const get = async (
      path: string,
      headers: Record<string, string> = {},
    ): Promise<{ status: number; text: string }> => {
      const outgoing = sendRequest({
        host: '127.0.0.1',
        port: Number(new URL(proxy.url).port),
        path,
        headers,
        agent: false,
      });
      outgoing.end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += String(chunk);
      return { status: response.statusCode ?? 0, text };
    };
    const { status, text } = await get('http://plain.example:80/a?b', {
      host: 'plain.example',
      'proxy-authorization': 'x',
    });
    expect(status).toBe(200);
    expect(text).toMatch(/^GET \/a\?b HTTP\/1\.1\r\nhost: plain\.example:80/i);
    expect(text).not.toContain('proxy-authorization');
    expect(plane.asked.map(({ target }) => target)).toEqual(['plain.example:80']);
    expect(await get('http://refused.example/')).toEqual({
      status: 403,
      text: `Sandgate: refused.example:80 is not in this run's "network".\n`,
    });
    expect(await get('/not-a-proxy-request')).toMatchObject({ status: 400 });
  });

  it('ends what is open when it is closed', async () => {
    const { socket } = await ask('a.example:443');
    const ended = once(socket.resume(), 'end');
    await proxy.close();
    await ended;
    socket.destroy();
    proxy = { url: proxy.url, close: () => Promise.resolve() };
  });

  it('takes another port where its own is taken', async () => {
    const address = { controlUrl: 'http://plane', socketPath: join(folder, 'plane.sock'), token: TOKEN };
    const second = await openConnectProxy(address, refusals);
    expect(second.url).not.toBe(proxy.url);
    await second.close();
  });
});

describe('the refusals of a run', () => {
  it('are told once for each reason, five at most, from a mark on', () => {
    const log = new RefusalLog();
    log.note('before:443', 'no');
    const mark = log.mark;
    expect(log.since(mark)).toBeNull();
    for (let time = 0; time < 3; time += 1) log.note('a:443', 'not in the network');
    expect(log.since(mark)).toBe('sandgate: 3 connections were refused while this ran: a:443 — not in the network');
    for (let index = 0; index < 2_000; index += 1) log.note(`h${index % 9}:443`, 'no');
    expect(log.since(mark)).toMatch(/^sandgate: 2003 connections were refused .*; and 4 more$/);
  });
});
