import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { a, type Zone } from '../../support/http/dns-server.js';
import { HostileBench, NAME, OUTSIDE } from '../../support/network/hostile-bench.js';

const ZONES: Record<string, Zone> = { outside: (name, type) => (type === 'A' ? [a(name, OUTSIDE)] : []) };

let bench: HostileBench;

beforeAll(async () => {
  bench = await HostileBench.open(ZONES);
});
beforeEach(() => bench.start());
afterEach(async () => {
  await bench.stop();
  expect(bench.strays).toBe(0);
});
afterAll(async () => {
  await bench.close();
  expect(bench.strays).toBe(0);
});

describe('plain HTTP through a tunnel', () => {
  const HOST = (): string => `${NAME}:${bench.outside.port}`;
  const request = (lines: readonly string[], text = ''): string => `${lines.join('\r\n')}\r\n\r\n${text}`;

  it('is sent on, request after request, in the form of an origin', async () => {
    const run = await bench.granted();
    const { answer, reached } = await bench.say(run, [
      request([
        'GET /one HTTP/1.1',
        `Host: ${HOST()}`,
        'Connection: X-Own',
        'X-Own: 1',
        'Proxy-Authorization: Basic x',
        'X-Two: 2',
      ]),
      request([`GET http://${HOST()}/two HTTP/1.1`, `Host: ${HOST().toUpperCase()}`]),
      request(
        ['POST /three HTTP/1.1', `Host: ${HOST()}`, 'Transfer-Encoding: chunked', 'Connection: close'],
        '3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n',
      ),
    ]);
    expect(answer.match(/seen \S+(?=HTTP|\r|$)/g) ?? answer).toEqual(['seen /one', 'seen /two', 'seen /three']);
    expect(bench.outside.connections).toBe(1);
    expect(reached).toMatch(/^GET \/one HTTP\/1\.1\r\nhost: /i);
    expect(reached).toContain('GET /two HTTP/1.1');
    expect(reached).not.toMatch(/x-own|proxy-auth|x-trailer/i);
  });

  it.each<[string, (host: string) => string[]]>([
    ['another host', () => [request(['GET / HTTP/1.1', 'Host: other.example'])]],
    ['another port', () => [request(['GET / HTTP/1.1', `Host: ${NAME}:1`])]],
    ['the host without its port', () => [request(['GET / HTTP/1.1', `Host: ${NAME}`])]],
    ['no host', () => [request(['GET / HTTP/1.1'])]],
    ['no host, of HTTP 1.0', () => [request(['GET / HTTP/1.0'])]],
    ['two hosts', (host) => [request(['GET / HTTP/1.1', `Host: ${host}`, 'Host: other.example'])]],
    ['two hosts, ours last', (host) => [request(['GET / HTTP/1.1', 'Host: other.example', `Host: ${host}`])]],
    ['the address of another host', (host) => [request(['GET http://other.example/ HTTP/1.1', `Host: ${host}`])]],
    ['an address with a user', (host) => [request([`GET http://${host}@other.example/ HTTP/1.1`, `Host: ${host}`])]],
    ['a connection further on', () => [request(['CONNECT other.example:443 HTTP/1.1', 'Host: other.example:443'])]],
    ['a connection to the host itself', (host) => [request([`CONNECT ${host} HTTP/1.1`, `Host: ${host}`])]],
    [
      'both lengths',
      (host) => [
        request(
          ['POST / HTTP/1.1', `Host: ${host}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
          '0\r\n\r\nGET /smuggled HTTP/1.1\r\n',
        ),
      ],
    ],
    [
      'two lengths',
      (host) => [request(['POST / HTTP/1.1', `Host: ${host}`, 'Content-Length: 5', 'Content-Length: 6'], 'abcdef')],
    ],
    [
      'an encoding of its own',
      (host) => [request(['POST / HTTP/1.1', `Host: ${host}`, 'Transfer-Encoding: xchunked'], 'a')],
    ],
    [
      'an encoding twice',
      (host) => [request(['POST / HTTP/1.1', `Host: ${host}`, 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n')],
    ],
    ['a folded header', (host) => [request(['GET / HTTP/1.1', `Host: ${host}`, 'X-A: b', ' Host: other.example'])]],
    ['a blank before the colon', (host) => [request(['GET / HTTP/1.1', `Host : other.example`, `Host: ${host}`])]],
    ['lines that end in LF', (host) => [`GET / HTTP/1.1\nHost: ${host}\n\n`]],
    ['a zero in a header', (host) => [request(['GET / HTTP/1.1', `Host: ${host}`, 'X-A: b\0c'])]],
    ['HTTP/2 from the start', () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
    [
      'HTTP/2 by upgrade',
      (host) => [
        request([
          'GET / HTTP/1.1',
          `Host: ${host}`,
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABk',
        ]),
      ],
    ],
    [
      'a web socket',
      (host) => [request(['GET / HTTP/1.1', `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'])],
    ],
    ['headers without end', (host) => [request(['GET / HTTP/1.1', `Host: ${host}`, `X-A: ${'b'.repeat(20_000)}`])]],
    ['another protocol', () => ['SSH-2.0-OpenSSH_9.2\r\n']],
    ['no protocol', () => ['\0\0\0\0']],
  ])('with %s is answered here and reaches nobody', async (_what, chunks) => {
    const run = await bench.granted();
    const { answer, reached } = await bench.say(run, chunks(HOST()));
    expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d [^]*)?$/);
    expect(reached).toBe('');
    expect((await bench.denials(run))[0]).toMatch(/^(host|http|not_tls_or_http)$/);
  });

  it('is judged at every request of a connection, also in one piece', async () => {
    const run = await bench.granted();
    const good = request(['GET /first HTTP/1.1', `Host: ${HOST()}`]);
    const bad = request(['GET /second HTTP/1.1', 'Host: other.example']);
    for (const chunks of [[good, bad], [good + bad]]) {
      bench.outside.received.length = 0;
      const { answer, reached } = await bench.say(run, chunks);
      expect(reached).toContain('GET /first');
      expect(reached).not.toContain('/second');
      expect(answer).toContain('421');
    }
    expect(await bench.denials(run)).toEqual(['host']);
  });

  it('CP-146 has no way for a body to become a request', async () => {
    const run = await bench.granted();
    const inner = request(['GET /smuggled HTTP/1.1', 'Host: other.example']);
    const { reached } = await bench.say(run, [
      request(['POST /a HTTP/1.1', `Host: ${HOST()}`, `Content-Length: ${inner.length}`, 'Connection: close'], inner),
    ]);
    const [head = '', ...rest] = reached.split('\r\n\r\n');
    expect(head).toMatch(/^POST \/a HTTP\/1\.1\r\n/);
    expect(head).toMatch(new RegExp(`content-length: ${inner.length}`, 'i'));
    expect(rest.join('\r\n\r\n')).toBe(inner);
  });
});
