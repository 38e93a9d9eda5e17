import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { a, type Zone } from '../../support/http/dns-server.js';
import { HostileBench, NAME, OUTSIDE } from '../../support/network/hostile-bench.js';
import { readToEnd } from '../../support/network/tunnels.js';

const ZONES: Record<string, Zone> = { outside: (name, type) => (type === 'A' ? [a(name, OUTSIDE)] : []) };
/** A host that takes everything and answers nothing. */
const SILENT = '';
const CAP = 100_000;
const PIECE = 20_000;
const PIECES = 200;

let bench: HostileBench;

beforeAll(async () => {
  bench = await HostileBench.open(ZONES);
});
afterEach(() => bench.stop());
afterAll(() => bench.close());

describe('bodies and requests of plain HTTP', () => {
  const host = (): string => `${NAME}:${bench.outside.port}`;
  const request = (lines: readonly string[], text = ''): string => `${lines.join('\r\n')}\r\n\r\n${text}`;

  it.each([
    ['GET', 'Content-Length'],
    ['DELETE', 'close, content-length'],
    ['OPTIONS', 'Content-length , X-Own'],
    ['GET', 'Transfer-Encoding'],
    ['POST', 'Host'],
  ])('CP-146 keep their framing: a %s whose connection claims %s reaches nobody', async (method, claimed) => {
    await bench.start();
    const run = await bench.granted();
    const inner = request(['GET /smuggled HTTP/1.1', 'Host: other.example']);
    const { answer, reached } = await bench.say(run, [
      request(
        [`${method} /a HTTP/1.1`, `Host: ${host()}`, `Content-Length: ${inner.length}`, `Connection: ${claimed}`],
        inner,
      ),
    ]);
    expect(reached).toBe('');
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await bench.denials(run)).toEqual(['http']);
  });

  it('CP-299 are counted while they are sent, and cut at the limit', async () => {
    await bench.start({ SERVICE_LIMIT_TUNNEL_BYTES: String(CAP) }, SILENT);
    const run = await bench.granted();
    const { socket } = await bench.ask(run);
    const ended = readToEnd(socket);
    socket.write(request(['PUT /a HTTP/1.1', `Host: ${host()}`, `Content-Length: ${PIECE * PIECES}`]));
    for (let piece = 0; piece < PIECES && !socket.destroyed; piece += 1) {
      socket.write(Buffer.alloc(PIECE, 'x'));
      await sleep(2);
    }
    await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
    socket.destroy();
    expect(bench.outside.received.join('').length).toBeLessThan(4 * CAP);
    expect(await bench.ask(run)).toMatchObject({ status: 429 });
  });

  it('end with their connection when the host ends it, and with nothing else', async () => {
    await bench.start({}, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
    const run = await bench.granted();
    const { answer } = await bench.say(run, [request(['GET /x HTTP/1.1', `Host: ${host()}`]).repeat(3)]);
    expect(answer.match(/HTTP\/1\.1 \d\d\d/g)).toEqual(['HTTP/1.1 200']);
    expect(await bench.ask(run)).toMatchObject({ status: 101 });
  });

  it('are answered here when the host changes the protocol', async () => {
    await bench.start({}, 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nhello');
    const run = await bench.granted();
    const { answer } = await bench.say(run, [request(['GET /x HTTP/1.1', `Host: ${host()}`])]);
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(answer).not.toContain('hello');
  });

  it('are given up when the host is silent, the second one as well', async () => {
    await bench.start({ SERVICE_LIMIT_TUNNEL_IDLE_MS: '1000' });
    const run = await bench.granted();
    const { answer } = await bench.say(run, [
      request(['GET /first HTTP/1.1', `Host: ${host()}`]),
      // Of a method that this host does not know.
      request(['M-SEARCH /second HTTP/1.1', `Host: ${host()}`]),
    ]);
    expect(answer).toContain('seen /first');
    expect(answer).not.toContain('nothing in time');
  });

  it('are not taken without end from a client that hears no answer', async () => {
    await bench.start({}, SILENT);
    const run = await bench.granted();
    const { socket } = await bench.ask(run);
    // Cut off, which is an error to whoever still sends.
    const ended = readToEnd(socket).then(
      () => 'ended',
      () => 'ended',
    );
    socket.write(request(['GET /x HTTP/1.1', `Host: ${host()}`]).repeat(2_000));
    expect(await Promise.race([ended, sleep(10_000, 'still open', { ref: false })])).toBe('ended');
    expect(await bench.denials(run)).toEqual(['http']);
  });
});
