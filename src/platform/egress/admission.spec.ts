import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ordinaryUrls, ssrfPayloads } from '../../../test/support/http/ssrf-payloads.js';
import { classOf, readAddress } from './address-classes.js';
import { Egress } from './egress.js';
import { EgressError } from './egress-error.js';
import { readNetwork } from './network-list.js';

const REQUEST = {
  method: 'POST',
  headers: {},
  body: '{}',
  timeoutMs: 60_000,
  maxBodyBytes: 1_000,
  redirects: 'refuse',
} as const;

describe('what the control plane may reach outside', () => {
  const egress = new Egress(
    { allowCidrs: [], proxy: null },
    { resolve: () => Promise.reject(new Error('no name is asked')) },
  );
  let inside: Server;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    inside.listen(0, '::');
    await once(inside, 'listening');
    ({ port } = inside.address() as AddressInfo);
  });
  afterAll(async () => {
    await egress.close();
    inside.close();
  });

  async function attempt(client: Egress, url: string): Promise<unknown> {
    return client.guarded.request({ ...REQUEST, url }).catch((cause: unknown) => cause);
  }

  it('CP-032 refuses 500 spellings of inside addresses before any byte is sent', async () => {
    const payloads = ssrfPayloads(port);
    expect(payloads.length).toBeGreaterThan(500);
    const admitted = payloads.filter((url) => egress.guarded.admitUrl(url) === null);
    expect(admitted).toEqual([]);
    for (const url of payloads) {
      const refused = await attempt(egress, url);
      if (!(refused instanceof EgressError) || refused.sent) throw new Error(`not refused: ${JSON.stringify(url)}`);
      expect(['url', 'address', 'plain_http']).toContain(refused.reason);
      expect(refused.message).not.toMatch(/\d+\.\d+|::|localhost/);
    }
    expect(connections).toBe(0);
  });

  it('would have noticed a byte: the same address is reached when its network is opened', async () => {
    const open = new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null });
    expect(await attempt(open, `http://2130706433:${port}/`)).toMatchObject({ reason: 'broken', sent: true });
    expect(connections).toBe(1);
    await open.close();
  });

  it('CP-032 lets 100 ordinary addresses pass', () => {
    const urls = ordinaryUrls();
    expect(urls.length).toBeGreaterThan(100);
    expect(urls.filter((url) => egress.guarded.admitUrl(url) !== null)).toEqual([]);
  });

  it('CP-032 names the class in words that clients know', () => {
    expect(egress.guarded.admitUrl('https://169.254.169.254/')).toBe('private/loopback/link-local address (metadata)');
    expect(egress.guarded.admitUrl('https://[::ffff:10.0.0.1]/')).toBe('private/loopback/link-local address (private)');
    expect(egress.guarded.admitUrl('http://example.com/')).toBe('plain-http egress target');
  });

  it.each([
    [
      '127.0.0.0/8',
      ['127.0.0.1', '127.255.255.255', '::ffff:127.0.0.1'],
      ['128.0.0.0', '126.255.255.255', '::1', '10.0.0.1'],
    ],
    ['10.1.2.3/32', ['10.1.2.3'], ['10.1.2.2', '10.1.2.4']],
    ['10.1.0.0/17', ['10.1.0.0', '10.1.127.255'], ['10.1.128.0', '10.0.255.255']],
    ['fd12:3400::/24', ['fd12:34ff::1'], ['fd12:3500::1', 'fd12:33ff::1', '::1']],
    ['::1/128', ['::1'], ['127.0.0.1', '::2', '::']],
    ['169.254.169.254/32', ['169.254.169.254'], ['169.254.169.253', '169.254.170.2']],
  ])('CP-036 opens exactly %s', (cidr, opened, closed) => {
    const { guarded } = new Egress({ allowCidrs: [cidr], proxy: null });
    const admits = (address: string, scheme: string): boolean =>
      guarded.admitUrl(`${scheme}://${address.includes(':') ? `[${address}]` : address}/`) === null;
    for (const address of opened)
      expect([address, admits(address, 'https'), admits(address, 'http')]).toEqual([address, true, true]);
    for (const address of closed) expect([address, admits(address, 'http')]).toEqual([address, false]);
    const stillInside = closed.filter((address) => classOf(readAddress(address)!) !== null);
    for (const address of stillInside) expect([address, admits(address, 'https')]).toEqual([address, false]);
  });

  it.each([
    '10.0.0.1/8',
    '10.0.0.0',
    '10.0.0.0/33',
    '010.0.0.0/8',
    'fd00::/129',
    'fd00::1/8',
    'fe80::%eth0/10',
    'all',
    '/8',
    '10/8',
  ])('CP-036 does not guess what %s opens', (text) =>
    expect(() => readNetwork(text)).toThrow(/must be networks|bits below/),
  );
});
