import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { giteaPullRequest, githubPullRequest, recordedWebhooks } from '../../support/webhooks/payloads.js';
import { IngressBench, WEBHOOK_SECRET } from '../../support/webhooks/ingress-bench.js';

let bench: IngressBench;
beforeAll(async () => {
  bench = await IngressBench.start();
});
afterAll(() => bench?.close());
beforeEach(() => bench.clear());

const hmac = (body: string | Buffer, secret = WEBHOOK_SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('a webhook at the address of a connection', () => {
  it('CP-049 CP-272 is received by its signature alone and stored with its exact payload', async () => {
    const text = JSON.stringify(githubPullRequest({ title: 'a\u0000b' }), null, 1);
    const answer = await bench.send(text, { delivery: 'event-1' });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        delivery_id: expect.any(String),
        event_type: 'pull_request.opened',
        duplicate: false,
        dispatched: [],
        skipped: [],
      },
    ]);
    const { rows } = await bench.api.database.owner.query(
      'select payload::text, external_event_id, payload_digest, event, occurred_at, handled_at is not null as handled from trigger_deliveries',
    );
    expect(rows).toEqual([
      {
        payload: text,
        external_event_id: 'event-1',
        payload_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        event: expect.objectContaining({ title: 'a\ufffdb', repository: 'acme/shop' }),
        occurred_at: new Date('2019-05-15T15:20:33Z'),
        handled: true,
      },
    ]);
    expect(await bench.count('driver_outbox')).toBe(0);
  });

  it("Gitea's are received under the same headers", async () => {
    const answer = await bench.send(giteaPullRequest({ action: 'synchronized' }), {
      headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': 'x' },
    });
    expect(answer.body).toMatchObject({ event_type: 'pull_request.synchronize', duplicate: false });
  });

  it.each([
    ['no signature', { signature: null }, 401, /^X-Hub-Signature-256: /],
    ['a signature of another body', { signature: hmac('{}') }, 401, /^X-Hub-Signature-256: /],
    ['a signature by another secret', { secret: 'another' }, 401, /^X-Hub-Signature-256: /],
    ['a signature with SHA-1', { signature: `sha1=${'0'.repeat(40)}` }, 401, /^X-Hub-Signature-256: /],
    ['no id', { delivery: '' }, 401, /^X-GitHub-Delivery: is missing/],
    ['a blank id', { delivery: '   ' }, 401, /^X-GitHub-Delivery: is missing/],
    ['an endless id', { delivery: 'x'.repeat(256) }, 400, /^X-GitHub-Delivery: must be at most 255/],
    ['no name of its event', { event: '' }, 401, /^X-GitHub-Event: is missing/],
    ['an unknown address', { path: `/v1/ingress/codehost/${uuidv7()}` }, 404, /^no such webhook$/],
    ['an address that is no id', { path: '/v1/ingress/codehost/abc' }, 404, /^no such webhook$/],
  ] as const)('CP-278 with %s is refused and nothing of it is stored', async (_, of, status, error) => {
    const answer = await bench.send(githubPullRequest(), of);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(error)]);
    expect(await bench.count('trigger_deliveries')).toBe(0);
  });

  it.each([
    ['is no JSON', 'pull=1'],
    ['is empty', ''],
    ['is cut off', JSON.stringify(githubPullRequest()).slice(0, -1)],
    ['is a form', `payload=${encodeURIComponent(JSON.stringify(githubPullRequest()))}`],
    ['is a list', '[]'],
    ['is nested too deep', '['.repeat(100_000)],
    ['names no repository', JSON.stringify({ ...githubPullRequest(), repository: { full_name: 'a' } })],
    ['is not UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')])],
    ['begins with a byte order mark', Buffer.from(`\ufeff${JSON.stringify(githubPullRequest())}`)],
    ['is larger than 2 MiB', Buffer.from(JSON.stringify(githubPullRequest({ title: 'x'.repeat(2 * 1024 * 1024) })))],
  ])('with a body that %s is 400, however well it is signed', async (_, body) => {
    const bytes = Buffer.from(body);
    const answer = await bench.sendBytes(bytes, {
      signature: hmac(bytes),
      headers: { 'content-type': 'text/plain; charset=latin1' },
    });
    expect([answer.status, typeof answer.body.error]).toEqual([400, 'string']);
    expect(await bench.count('trigger_deliveries')).toBe(0);
  });

  it('of 2 MiB is received', async () => {
    const room = 2 * 1024 * 1024 - JSON.stringify(githubPullRequest({ title: '' })).length;
    const answer = await bench.send(githubPullRequest({ title: 'x'.repeat(room) }));
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ duplicate: false })]);
  });

  it('of an event that nobody can listen to is acknowledged without a row: everything that GitHub recorded', async () => {
    await bench.subscribe();
    const others = recordedWebhooks().filter(
      ({ edition, name, payload }) =>
        edition === 'api.github.com' &&
        !(name === 'pull_request' && /^(re)?opened$|^synchronize$/.test(payload['action'] as string)),
    );
    for (const { name, payload } of others) {
      const answer = await bench.send(payload, { event: name });
      expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['ignored']]);
    }
    expect((await bench.send({ zen: 'ok' }, { event: 'ping' })).body).toEqual({ ignored: 'ping' });
    expect((await bench.send(githubPullRequest({ action: 'labeled' }))).body).toEqual({
      ignored: 'pull_request.labeled',
    });
    expect([others.length > 250, await bench.count('trigger_deliveries')]).toEqual([true, 0]);
  });

  it.each(['codehost', 'codehost_app', 'github', 'github_app'])(
    'its connector may be written %s',
    async (connector) => {
      expect(
        (await bench.send(githubPullRequest(), { path: `/v1/ingress/${connector}/${bench.connectionId}` })).status,
      ).toBe(200);
    },
  );

  it.each([
    ['another installation', { id: 502 }],
    ['an installation that is no number', { id: '../501' }],
    ['nothing that is an installation', 'x'],
  ])('an app that was entered by hand takes none of %s, though all share its secret', async (_, installation) => {
    await bench.subscribe();
    const id = await bench.connect({ provider: 'codehost_app', external_account_id: '501' });
    const path = `/v1/ingress/codehost/${id}`;
    const answer = await bench.send({ ...githubPullRequest({ repository: 'stranger/shop' }), installation }, { path });
    expect([answer.status, answer.body, await bench.count('trigger_deliveries')]).toEqual([
      202,
      { ignored: 'pull_request' },
      0,
    ]);
    const own = await bench.send(githubPullRequest({ installation: 501 }), { path });
    expect([own.status, await bench.count('trigger_deliveries')]).toEqual([200, 1]);
    await bench.api.database.owner.query(`update integration_connections set status = 'revoked' where id = $1`, [id]);
  });

  it('a connection of another connector, and another connector, are not there', async () => {
    const mcp = await bench.host.insertMcp();
    for (const path of [
      `/v1/ingress/codehost/${mcp}`,
      `/v1/ingress/mcp_http/${mcp}`,
      `/v1/ingress/gitlab/${bench.connectionId}`,
    ])
      expect((await bench.send(githubPullRequest(), { path })).status).toBe(404);
  });

  it.each(['pending', 'suspended', 'error', 'revoked'] as const)(
    'a connection that is %s receives nothing',
    async (status) => {
      const id = await bench.connect({ status });
      expect((await bench.send(githubPullRequest(), { path: `/v1/ingress/codehost/${id}` })).status).toBe(409);
    },
  );

  it('a connection without a webhook secret says so', async () => {
    const id = await bench.connect({}, null);
    const answer = await bench.send(githubPullRequest(), { path: `/v1/ingress/codehost/${id}` });
    expect([answer.status, answer.body.error]).toEqual([400, 'the connection of this webhook has no webhook secret']);
  });

  it('CP-278 a secret counts until the row changes, not longer: a revoked connection is refused with the next request', async () => {
    const id = await bench.connect();
    const path = `/v1/ingress/codehost/${id}`;
    expect((await bench.send(githubPullRequest(), { path })).status).toBe(200);
    await bench.host.api.post(`/v1/connections/${id}/revoke`);
    expect((await bench.send(githubPullRequest(), { path })).status).toBe(409);
  });

  it("a credential of a person is nothing here, and a webhook's address says nothing of whose it is", async () => {
    const answer = await bench.api.post(bench.path, githubPullRequest());
    expect([answer.status, answer.text.includes(bench.api.organizationId)]).toEqual([401, false]);
  });
});
