import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { startApi, type TestApi } from '../../support/api/api.js';

const WITHIN_MS = 400;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ SERVICE_TIMING_WEBHOOK_BODY_MS: String(WITHIN_MS) });
});
afterAll(() => api.close());

/** A connection on which a webhook has begun. */
async function begin(headers: string): Promise<{ socket: Socket; said: () => string }> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => (said += chunk.toString()));
  await once(socket, 'connect');
  socket.write(`POST /v1/ingress/codehost/${uuidv7()} HTTP/1.1\r\nhost: sandgate\r\n${headers}\r\n\r\n`);
  return { socket, said: () => said };
}

const bodyOf = (said: string): unknown => JSON.parse(said.slice(said.indexOf('\r\n\r\n')));

describe('the body of a webhook', () => {
  it.each([
    ['a known length', 'content-length: 100000', 'x'],
    ['no length', 'transfer-encoding: chunked', '1\r\nx\r\n'],
    ['nothing after its headers', 'content-length: 10', ''],
  ])(
    'CP-278 that trickles in, with %s, is 408 in its time, and the connection is closed',
    async (_, headers, piece) => {
      const began = Date.now();
      const { socket, said } = await begin(headers);
      const trickle = setInterval(() => socket.write(piece), 20);
      try {
        await once(socket, 'close');
      } finally {
        clearInterval(trickle);
      }
      const tookMs = Date.now() - began;
      expect(said()).toMatch(/^HTTP\/1\.1 408 /);
      expect(said()).toMatch(/\r\nconnection: close\r\n/i);
      expect(bodyOf(said())).toEqual({ error: 'the body did not arrive within 0.4 s' });
      expect([tookMs >= WITHIN_MS - 10, tookMs < WITHIN_MS + 3000]).toEqual([true, true]);
    },
  );

  it('that arrives in pieces within its time is read, and the connection serves on', async () => {
    const { socket, said } = await begin('content-length: 4');
    for (const piece of ['{', '"', '"', '}']) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.write(piece);
    }
    await once(socket, 'data');
    expect(said()).toMatch(/^HTTP\/1\.1 404 /);
    await new Promise((resolve) => setTimeout(resolve, WITHIN_MS + 100));
    socket.write('GET /v1/health HTTP/1.1\r\nhost: sandgate\r\n\r\n');
    await once(socket, 'data');
    expect(said()).toMatch(/HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
