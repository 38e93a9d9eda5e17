import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchArchive } from './fetch-archive.js';

const LIMITS = { connectMs: 200, readMs: 200 };
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';

describe('fetching a packed workspace', () => {
  let folder: string;
  let server: Server | undefined;
  const open = new Set<Socket>();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandgate-fetch-'));
  });
  afterEach(() => {
    for (const socket of open) socket.destroy();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  const fetchFrom = async (scheme: string, serve: (socket: Socket) => void): Promise<void> => {
    server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      serve(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/internal/workspace`);
    return fetchArchive({ url, token: 't', digest: 'sha256:', bytes: 10 }, join(folder, 'archive'), LIMITS);
  };

  it.each<[string, string, (socket: Socket) => void, string]>([
    ['a handshake that does not come to its end', 'https', () => undefined, 'no connection within 200 ms'],
    ['an answer that does not begin', 'http', (socket) => void socket.resume(), 'no answer within 200 ms'],
    ['an answer that stops', 'http', (socket) => void socket.write(`${HEAD}some`), 'nothing came for 200 ms'],
    ['an answer that is cut', 'http', (socket) => void socket.end(`${HEAD}some`), 'the answer broke off'],
    [
      'a refusal',
      'http',
      (socket) => void socket.end('HTTP/1.1 502 X\r\ncontent-length: 3\r\n\r\nwhy'),
      'answered 502 why',
    ],
    [
      'a redirect, which is not followed',
      'http',
      (socket) => void socket.end('HTTP/1.1 302 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
      'answered 302',
    ],
    ['a connection that is closed', 'http', (socket) => void socket.destroy(), 'the control plane cannot be reached'],
  ])('ends at %s', async (_what, scheme, serve, words) => {
    await expect(fetchFrom(scheme, serve)).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining(words) as unknown,
    });
  });
});
