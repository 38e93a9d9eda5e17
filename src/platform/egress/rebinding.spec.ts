import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { a, aaaa, cname, startDnsServer, type DnsServer, type Zone } from '../../../test/support/http/dns-server.js';
import { Egress } from './egress.js';
import { EgressError } from './egress-error.js';

/** What stands for the internet: the one address that is opened. The canary beside it is not. */
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';
const FLIPS = 200;

const ZONES: Record<string, Zone> = {
  /** Good when it is checked, inside ever after. */
  flip: (name, type, asked) => (type === 'A' ? [a(name, asked === 0 ? OUTSIDE : INSIDE)] : [aaaa(name, '::1')]),
  back: (name, type, asked) => (type === 'A' ? [a(name, asked % 2 === 0 ? INSIDE : OUTSIDE)] : []),
  first: (name, type) => (type === 'A' ? [a(name, INSIDE), a(name, OUTSIDE)] : []),
  last: (name, type) => (type === 'A' ? [a(name, OUTSIDE), a(name, INSIDE)] : []),
  mapped: (name, type) =>
    type === 'A' ? [a(name, OUTSIDE)] : [aaaa(name, '::ffff:127.0.0.1'), aaaa(name, '64:ff9b::7f00:1')],
  'cname-in': (name, type) => (type === 'A' ? [cname(name, 'db.internal'), a('db.internal', INSIDE)] : []),
  'cname-chain': (name, type) =>
    type === 'A' ? [cname(name, 'one.example'), cname('one.example', 'localhost'), a('localhost', INSIDE)] : [],
  'cname-out': (name, type) => (type === 'A' ? [cname(name, 'cdn.example'), a('cdn.example', OUTSIDE)] : []),
  metadata: (name, type) => (type === 'A' ? [a(name, '169.254.169.254')] : [aaaa(name, 'fd00:ec2::254')]),
  nothing: () => [],
  silent: () => 'silence',
};

function isTaken(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EADDRINUSE') throw error;
  return false;
}

describe('names that lead elsewhere the next time', () => {
  let outside: Server;
  let inside: TcpServer;
  let dns: DnsServer;
  let egress: Egress;
  let port: number;
  let arrived = 0;
  let trespassed = 0;

  beforeAll(async () => {
    inside = createTcpServer((socket) => {
      trespassed += 1;
      socket.destroy();
    });
    for (;;) {
      outside = createServer((_request, response) => {
        arrived += 1;
        response.setHeader('connection', 'close').end('outside');
      }).listen(0, OUTSIDE);
      await once(outside, 'listening');
      ({ port } = outside.address() as AddressInfo);
      inside.listen({ port, host: INSIDE });
      // Somebody else may have the port at this address.
      if (await once(inside, 'listening').then(() => true, isTaken)) break;
      outside.close();
    }
    dns = await startDnsServer((name, type, asked) =>
      (ZONES[name.split('.')[1] ?? ''] ?? ZONES['nothing']!)(name, type, asked),
    );
    egress = new Egress({ allowCidrs: [`${OUTSIDE}/32`], proxy: null }, { resolve: dns.resolve });
  });
  afterAll(async () => {
    await Promise.all([egress.close(), dns.close()]);
    outside.close();
    inside.close();
  });

  async function visit(name: string): Promise<string> {
    const url = `http://${name}:${port}/mcp`;
    const request = {
      method: 'GET',
      url,
      headers: {},
      timeoutMs: 60_000,
      maxBodyBytes: 100,
      redirects: 'refuse',
    } as const;
    try {
      return (await (await egress.guarded.request(request)).readBody()).toString();
    } catch (cause) {
      if (cause instanceof EgressError) return cause.sent ? `sent ${cause.reason}` : cause.reason;
      throw cause;
    }
  }

  it(`CP-032 are asked once for each connection, and what was checked is what is reached, in ${FLIPS} flips`, async () => {
    const names = Array.from({ length: FLIPS / 2 }, (_, index) => `n${index}.flip.example`);
    expect(new Set(await Promise.all(names.map(visit)))).toEqual(new Set(['outside']));
    expect(names.map((name) => dns.asked(name, 'A'))).toEqual(names.map(() => 1));
    // By now every name is inside; a second connection asks again and is refused.
    expect(new Set(await Promise.all(names.map(visit)))).toEqual(new Set(['address']));
    expect(arrived).toBe(FLIPS / 2);
    expect(trespassed).toBe(0);
  });

  it('CP-032 are refused while they are inside, whatever they were', async () => {
    const seen: string[] = [];
    for (let asked = 0; asked < 10; asked += 1) seen.push(await visit('x.back.example'));
    expect(seen).toEqual(Array.from({ length: 5 }, () => ['address', 'outside']).flat());
    expect(trespassed).toBe(0);
  });

  it.each([
    ['x.first.example', 'outside'],
    ['x.last.example', 'outside'],
    ['x.mapped.example', 'outside'],
    ['x.cname-in.example', 'address'],
    ['x.cname-chain.example', 'address'],
    ['x.cname-out.example', 'outside'],
    ['x.metadata.example', 'address'],
    ['x.nothing.example', 'dns'],
    ['x.silent.example', 'dns'],
  ])('CP-032 %s: %s', async (name, outcome) => {
    expect(await visit(name)).toBe(outcome);
    expect(trespassed).toBe(0);
  });

  it('CP-032 are refused to programs that connect by themselves as soon as one answer is inside', async () => {
    await expect(egress.guarded.resolvePinned('x.first.example', true)).rejects.toMatchObject({
      reason: 'address',
      sent: false,
    });
    await expect(egress.guarded.resolvePinned('x.metadata.example')).rejects.toMatchObject({ reason: 'address' });
    expect(await egress.guarded.resolvePinned('y.cname-out.example')).toEqual([OUTSIDE]);
    for (const spelled of ['0x7f.1', '2130706433', '::ffff:127.0.0.1', '[::1]', 'localhost']) {
      await expect(egress.guarded.resolvePinned(spelled)).rejects.toMatchObject({ reason: 'address' });
    }
  });

  it('CP-032 lead to a peer that is checked before the first byte', async () => {
    const astray = new Egress(
      { allowCidrs: [`${OUTSIDE}/32`], proxy: null },
      {
        resolve: dns.resolve,
        openTcp: async () => {
          const socket = connect({ host: INSIDE, port });
          await once(socket, 'connect');
          return socket;
        },
      },
    );
    const before = trespassed;
    const request = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBodyBytes: 100, redirects: 'refuse' } as const;
    const url = `http://z.cname-out.example:${port}/`;
    await expect(astray.guarded.request({ ...request, url })).rejects.toMatchObject({ reason: 'peer', sent: false });
    expect(trespassed).toBe(before + 1);
    await astray.close();
  });
});
