import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { a, aaaa, startDnsServer, type DnsServer } from '../../../../test/support/http/dns-server.js';
import { ssrfPayloads } from '../../../../test/support/http/ssrf-payloads.js';
import { Egress } from '../../../../src/platform/egress/egress.js';
import { openWebhooksBench, type WebhooksBench } from '../../support/webhooks/webhooks-bench.js';

/** What stands for the internet: the one address that is opened, where nobody listens. */
const OUTSIDE = '127.0.0.2';

/** Names that a receiver's owner could choose, and what they lead to. */
const ZONES: { [name: string]: { A?: string[]; AAAA?: string } } = {
  'private.example': { A: ['10.0.0.1'] },
  'loopback.example': { A: ['127.0.0.1'] },
  'link-local.example': { A: ['169.254.10.10'] },
  'metadata.example': { A: ['169.254.169.254'] },
  'mapped.example': { AAAA: '::ffff:127.0.0.1' },
  'unique-local.example': { AAAA: 'fd00:ec2::254' },
  'mixed.example': { A: ['10.0.0.1', '192.168.0.1'], AAAA: '::1' },
};

let bench: WebhooksBench;
let dns: DnsServer;
let closed: Egress;
/** How often the name that changes was asked for. */
let asked = 0;

beforeAll(async () => {
  bench = await openWebhooksBench();
  dns = await startDnsServer((name, type) => {
    if (name.startsWith('rebinding.')) return type === 'A' ? [a(name, asked++ === 0 ? OUTSIDE : '127.0.0.1')] : [];
    const zone = ZONES[name.replace(/\.$/, '')];
    return type === 'A'
      ? (zone?.A ?? []).map((to) => a(name, to))
      : zone?.AAAA === undefined
        ? []
        : [aaaa(name, zone.AAAA)];
  });
  closed = new Egress({ allowCidrs: [`${OUTSIDE}/32`], proxy: null }, { resolve: dns.resolve });
});
afterAll(async () => {
  await Promise.all([closed.close(), dns.close()]);
  await bench.close();
});

/** What an attempt at that address comes to, for a webhook that got past the check of its address. */
async function attemptAt(url: string): Promise<string | null> {
  const { body } = await bench.create();
  await bench.api.database.owner.query('update webhooks set url = $1 where id = $2', [url, body.id]);
  const [id = ''] = await bench.happen('document.ready');
  await bench.attempt(id, { ...bench.place, client: closed.guarded });
  const { attempts } = await bench.read(id);
  await bench.api.database.owner.query('delete from webhooks');
  return attempts[0]?.error ?? null;
}

describe('the way to receivers', () => {
  it('no address of the inside is taken for a webhook, in any spelling, nor plain http, nor another scheme', () => {
    const { guarded } = new Egress({ allowCidrs: [], proxy: null });
    expect(ssrfPayloads(8443).filter((url) => guarded.admitUrl(url) === null)).toEqual([]);
    expect(guarded.admitUrl('https://receiver.example/hook')).toBeNull();
  });

  it.each(Object.keys(ZONES))('the name %s leads inside, and nothing is sent there', async (name) => {
    expect(await attemptAt(`https://${name}/hook`)).toMatch(/^not reached \(/);
    expect(bench.receiver.received).toEqual([]);
  });

  it('a name that is good when it is checked and leads inside afterwards is not followed there', async () => {
    const port = new URL(bench.receiver.url).port;
    for (let times = 0; times < 5; times += 1) {
      expect(await attemptAt(`http://rebinding.example:${port}/hook`)).toMatch(/^(not reached|no answer)/);
    }
    expect(bench.receiver.received).toEqual([]);
  });

  it('a redirect is refused: the receiver that it names hears nothing', async () => {
    bench.receiver.answering = () => ({ status: 307, headers: { location: bench.receiver.url } });
    const { body } = await bench.create();
    const attempt = await bench.acme.ask(`/api/webhooks/${body.id}/test`, { method: 'POST' });
    expect(attempt.body).toMatchObject({ statusCode: null, error: 'answered with a redirect, which is not followed' });
    expect(bench.receiver.received).toHaveLength(1);
  });
});
