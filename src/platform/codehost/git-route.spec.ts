import { describe, expect, it } from '@jest/globals';
import { CodehostConfig } from '../config/codehost.config.js';
import { Egress } from '../egress/egress.js';
import { gitRoute } from './git-route.js';

const NAMES: Record<string, string[]> = {
  'code.example': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
  'inside.example': ['10.1.2.3'],
  'mixed.example': ['93.184.216.34', '169.254.169.254'],
  'ghe.example': ['10.9.8.7'],
};

function route(url: string, settings: { base?: string; allow?: string[]; proxy?: string } = {}) {
  const codehost = Object.assign(new CodehostConfig(), { configuredCloneBase: settings.base ?? null });
  const egress = new Egress(
    { allowCidrs: settings.allow ?? [], proxy: settings.proxy ?? null },
    { resolve: (name) => Promise.resolve(NAMES[name] ?? []) },
  );
  return gitRoute(egress, codehost, new URL(url));
}

describe('the way of git to a code host', () => {
  it('is pinned to the addresses that were looked up and judged', async () => {
    expect(await route('https://code.example/a/b')).toEqual({
      resolve: ['code.example:443:93.184.216.34,[2606:2800:220:1:248:1893:25c8:1946]'],
      proxy: null,
    });
    expect((await route('https://code.example:8443/a/b')).resolve[0]).toMatch(/^code\.example:8443:/);
    expect(await route('https://93.184.216.34/a/b')).toEqual({ resolve: [], proxy: null });
  });

  it('CP-032 leads to no inside address, by name or number, unless its network was opened', async () => {
    const refused = [
      'https://inside.example/a/b',
      'https://mixed.example/a/b',
      'https://10.1.2.3/a/b',
      'https://[::1]/a/b',
      'https://[::ffff:169.254.169.254]/a/b',
      'https://2130706433/a/b',
      'https://localhost/a/b',
      'https://metadata.google.internal/a/b',
    ];
    for (const url of refused)
      await expect(route(url)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('private/loopback/link-local address') as unknown,
      });
    expect((await route('https://inside.example/a/b', { allow: ['10.1.0.0/16'] })).resolve).toEqual([
      'inside.example:443:10.1.2.3',
    ]);
    await expect(route('https://nowhere.example/a/b')).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  it('leads to the configured code host wherever it stands, and to no other port of it', async () => {
    const base = 'https://ghe.example';
    expect((await route('https://ghe.example/a/b', { base })).resolve).toEqual(['ghe.example:443:10.9.8.7']);
    await expect(route('https://ghe.example:8443/a/b', { base })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(route('https://inside.example/a/b', { base })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('CP-037 leads through the proxy, which looks the name up, except to opened networks', async () => {
    const proxy = 'http://user:pass@127.0.0.1:3128';
    expect(await route('https://code.example/a/b', { proxy })).toEqual({ resolve: [], proxy });
    expect(await route('https://ghe.example/a/b', { proxy, base: 'https://ghe.example' })).toEqual({
      resolve: [],
      proxy,
    });
    const named = await route('https://code.example/a/b', { proxy: 'http://localhost:3128' });
    expect(named.proxy).toBe('http://localhost:3128');
    expect(named.resolve[0]).toMatch(/^localhost:3128:.*(?:127\.0\.0\.1|\[::1\])/);
    expect(await route('https://inside.example/a/b', { proxy, allow: ['10.1.0.0/16'] })).toEqual({
      resolve: ['inside.example:443:10.1.2.3'],
      proxy: null,
    });
    for (const url of ['https://10.1.2.3/a/b', 'https://intranet/a/b', 'https://metadata.google.internal/a/b'])
      await expect(route(url, { proxy })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
