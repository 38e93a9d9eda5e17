import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { refuseWebhook } from '../../../src/domain/webhooks/webhook-signature.js';
import { startApi } from '../../support/api/api.js';
import { openWebhooksBench, type WebhooksBench } from '../../support/webhooks/webhooks-bench.js';

let bench: WebhooksBench;
beforeAll(async () => {
  bench = await openWebhooksBench();
});
afterAll(() => bench.close());
afterEach(async () => {
  await bench.api.database.owner.query('delete from webhooks');
  bench.receiver.received.length = 0;
  bench.receiver.answering = () => ({ status: 204 });
});

/** The one delivery of an event, which has to have one. */
async function deliveryOf(type = 'document.ready'): Promise<string> {
  const deliveries = await bench.happen(type);
  expect(deliveries).toHaveLength(1);
  return deliveries[0] ?? '';
}

describe('webhooks', () => {
  it('DI-021 DI-004 are created in a project with a secret that is shown once and stored sealed', async () => {
    const { acme, api, projectId } = bench;
    const made = await bench.create({ events: ['document.ready'], description: 'mine' });
    expect(made).toMatchObject({ status: 201, body: { projectId, enabled: true, retry: { strategy: 'standard' } } });
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const path = `/api/webhooks/${made.body.id}`;
    const read = await acme.ask(path);
    expect(read.body).not.toHaveProperty('secret');
    const { rows } = await api.database.owner.query<{ text: string }>('select w::text as text from webhooks w');
    expect(rows[0]?.text).not.toContain(Buffer.from(made.body.secret).toString('hex'));
    const list = await acme.ask<{ data: object[] }>(`/api/projects/${projectId}/webhooks`);
    expect(list.body.data).toMatchObject([{ id: made.body.id, description: 'mine' }]);
    expect((await acme.ask(path, { method: 'DELETE' })).status).toBe(204);
    expect((await acme.ask(path)).status).toBe(404);
  });

  it('refuse addresses of the inside, and more webhooks than a project may have', async () => {
    const refused = await bench.create({ url: 'https://169.254.169.254/latest' });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'url', code: 'address_refused' }] } },
    });
    expect(await bench.create({ events: ['document.exploded'] })).toMatchObject({ status: 400 });
    expect(await bench.create({ retry: { strategy: 'fixed', maxAttempts: 13 } })).toMatchObject({ status: 400 });
    const made = await Promise.all(Array.from({ length: 20 }, () => bench.create()));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await bench.create()).toMatchObject({ status: 429, body: { error: { code: 'quota_exceeded' } } });
  });

  it('DI-021 a test is sent now, also to a webhook that is disabled, and answers what came of it', async () => {
    const { acme, receiver } = bench;
    const { body } = await bench.create({ enabled: false, events: ['document.failed'] });
    receiver.answering = () => ({ status: 500, body: 'no' });
    const attempt = await acme.ask(`/api/webhooks/${body.id}/test`, { method: 'POST' });
    expect(attempt).toMatchObject({
      status: 200,
      body: { number: 1, statusCode: 500, error: 'answered 500', responseSnippet: 'no' },
    });
    expect(receiver.received).toMatchObject([{ body: { type: 'webhook.test', data: { webhookId: body.id } } }]);
    const history = await acme.ask(`/api/webhooks/${body.id}/deliveries`);
    expect(history.body).toMatchObject({
      data: [{ eventType: 'webhook.test', status: 'exhausted', nextAttemptAt: null }],
    });
  });

  it('without DOCSVC_SEAL_KEY their routes answer 503', async () => {
    const bare = await startApi({ DOCSVC_SEAL_KEY: '' });
    try {
      const { ask } = await bare.organization();
      const answer = await ask(`/api/projects/${bench.projectId}/webhooks`);
      expect(answer).toMatchObject({
        status: 503,
        body: { error: { message: expect.stringContaining('DOCSVC_SEAL_KEY') } },
      });
    } finally {
      await bare.close();
    }
  });
});

describe('events', () => {
  it('reach the webhooks of their project that asked for them, and no others', async () => {
    const all = await bench.create();
    const some = await bench.create({ events: ['document.ready', 'document.failed'] });
    await bench.create({ events: ['document.deleted'] });
    await bench.create({ enabled: false });
    const elsewhere = await bench.acme.ask<{ id: string }>('/api/projects', {
      method: 'POST',
      body: {
        name: `Q ${Date.now()}`,
        workspaceId: (await bench.acme.ask<{ data: { id: string }[] }>('/api/workspaces')).body.data[0]?.id,
      },
    });
    expect(await bench.happen('document.ready', elsewhere.body.id)).toEqual([]);
    const deliveries = await bench.happen('document.ready');
    const { rows } = await bench.api.database.owner.query<{ webhook_id: string }>(
      'select webhook_id from deliveries where id = any ($1) order by webhook_id',
      [deliveries],
    );
    expect(rows.map((row) => row.webhook_id)).toEqual([all.body.id, some.body.id].sort());
    const { rows: outbox } = await bench.api.database.owner.query(
      `select from driver_outbox where kind = 'deliver' and subject_id = any ($1)`,
      [deliveries],
    );
    expect(outbox).toHaveLength(2);
  });

  it('are gone with the state of which they tell, when that is not committed', async () => {
    await bench.create();
    const { record, owner } = bench.api.database;
    const { appendEvent } = await import('../../../src/core/events/append-event.js');
    const failing = record.inOrganization(bench.acme.orgId, async (tx) => {
      await appendEvent(tx, { type: 'document.ready', projectId: bench.projectId, data: {} });
      throw new Error('not committed');
    });
    await expect(failing).rejects.toThrow('not committed');
    expect((await owner.query('select from deliveries')).rows).toEqual([]);
  });
});

describe('deliveries', () => {
  it('DI-023 carry a body of ids and links, with a signature that the Standard Webhooks and our own verifier take', async () => {
    const { secret } = (await bench.create()).body;
    const id = await deliveryOf();
    expect(await bench.attempt(id)).toBeNull();
    const [event] = bench.receiver.received;
    if (event === undefined) throw new Error('nothing came');
    expect(event.body).toEqual({
      id: event.signed['webhook-id'],
      type: 'document.ready',
      timestamp: expect.stringMatching(/Z$/),
      apiVersion: '1',
      data: {
        orgId: bench.acme.orgId,
        projectId: bench.projectId,
        documentId: 'd1',
        status: 'ready',
        links: { document: 'https://docs.example/api/documents/d1' },
      },
    });
    expect(new Webhook(secret).verify(event.text, { ...event.signed })).toEqual(event.body);
    const seen = new Set<string>();
    expect(refuseWebhook(secret, event.signed, event.text, { now: new Date(), seen })).toBeNull();
    expect(refuseWebhook(secret, event.signed, event.text, { now: new Date(), seen })).toBe('id_repeated');
    expect(event.headers['content-type']).toBe('application/json');
  });

  it('DI-023 are signed by the old secret too for 24 hours behind a rotation', async () => {
    const { id: webhookId, secret: old } = (await bench.create()).body;
    const rotated = await bench.acme.ask<{ secret: string; previousSecretUntil: string }>(
      `/api/webhooks/${webhookId}/rotate`,
      { method: 'POST' },
    );
    const left = Date.parse(rotated.body.previousSecretUntil) - Date.now();
    expect(Math.abs(left - 86_400_000)).toBeLessThan(60_000);
    await bench.attempt(await deliveryOf());
    const [overlap] = bench.receiver.received;
    for (const secret of [old, rotated.body.secret])
      new Webhook(secret).verify(overlap?.text ?? '', { ...overlap?.signed });
    await bench.api.database.owner.query('update webhooks set previous_secret_until = now()');
    await bench.attempt(await deliveryOf());
    const after = bench.receiver.received[1];
    new Webhook(rotated.body.secret).verify(after?.text ?? '', { ...after?.signed });
    expect(() => new Webhook(old).verify(after?.text ?? '', { ...after?.signed })).toThrow();
  });

  it('DI-022 DI-024 are tried again as the webhook says, with one id, and their history is read with every attempt', async () => {
    const { id: webhookId } = (
      await bench.create({ retry: { strategy: 'fixed', maxAttempts: 3, initialSeconds: 100 } })
    ).body;
    const token = `ghp_${'a1B2'.repeat(9)}`;
    bench.receiver.answering = () => ({ status: 503, body: `token=${token} ${'x'.repeat(5000)}` });
    const id = await deliveryOf();
    const wait = (await bench.attempt(id)) ?? 0;
    expect(wait).toBeGreaterThanOrEqual(80_000);
    expect(wait).toBeLessThanOrEqual(120_000);
    const left = (await bench.attempt(id)) ?? 0;
    expect(left).toBeGreaterThan(79_000);
    expect(bench.receiver.received).toHaveLength(1);
    expect(await bench.read(id)).toMatchObject({ status: 'retrying' });
    for (let more = 0; more < 2; more += 1) {
      await bench.makeDue(id);
      await bench.attempt(id);
    }
    const delivery = await bench.read(id);
    expect(delivery).toMatchObject({ status: 'exhausted', nextAttemptAt: null });
    expect(delivery.attempts.map(({ number, statusCode, error }) => [number, statusCode, error])).toEqual(
      [1, 2, 3].map((number) => [number, 503, 'answered 503']),
    );
    const snippet = delivery.attempts[0]?.responseSnippet ?? '';
    expect(Buffer.byteLength(snippet)).toBeLessThanOrEqual(1024);
    expect(snippet).not.toContain(token);
    expect(new Set(bench.receiver.received.map(({ signed, text }) => signed['webhook-id'] + text)).size).toBe(1);
    const failed = await bench.acme.ask(`/api/webhooks/${webhookId}/deliveries?status=exhausted`);
    expect(failed.body).toMatchObject({ data: [{ id }] });
    const succeeded = await bench.acme.ask(`/api/webhooks/${webhookId}/deliveries?status=succeeded`);
    expect(succeeded.body).toMatchObject({ data: [] });
  });

  it('a redelivery sends the same event again, with attempts of its own', async () => {
    await bench.create({ retry: { strategy: 'fixed', maxAttempts: 2, initialSeconds: 1 } });
    bench.receiver.answering = (index) => ({ status: index < 2 ? 500 : 200 });
    const id = await deliveryOf();
    await bench.attempt(id);
    const early = await bench.acme.ask(`/api/deliveries/${id}/redeliver`, { method: 'POST' });
    expect(early).toMatchObject({ status: 409 });
    await bench.makeDue(id);
    expect(await bench.attempt(id)).toBeNull();
    const again = await bench.acme.ask(`/api/deliveries/${id}/redeliver`, { method: 'POST' });
    expect(again).toMatchObject({ status: 202, body: { status: 'pending' } });
    const { rows } = await bench.api.database.owner.query(`select from driver_outbox where subject_id = $1`, [id]);
    expect(rows).toHaveLength(2);
    await bench.attempt(id);
    expect(await bench.read(id)).toMatchObject({
      status: 'succeeded',
      attempts: [{}, {}, { number: 3, statusCode: 200 }],
    });
    expect(new Set(bench.receiver.received.map(({ text }) => text)).size).toBe(1);
  });

  it('a receiver can ask to wait up to an hour, and a redirect is a failure that is not followed', async () => {
    await bench.create({ retry: { strategy: 'fixed', initialSeconds: 1 } });
    bench.receiver.answering = () => ({ status: 429, headers: { 'retry-after': '9999999' } });
    const waited = (await bench.attempt(await deliveryOf())) ?? 0;
    expect(waited).toBe(3_600_000);
    bench.receiver.answering = () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } });
    const id = await deliveryOf();
    await bench.attempt(id);
    expect((await bench.read(id)).attempts).toMatchObject([
      { statusCode: null, error: expect.stringContaining('redirect') },
    ]);
    expect(bench.receiver.received).toHaveLength(2);
  });

  it('410 disables the webhook at once, failures of 5 days do, and what is on the way is cancelled', async () => {
    const disabled = async (id: string): Promise<unknown> => (await bench.acme.ask(`/api/webhooks/${id}`)).body;
    const gone = (await bench.create()).body.id;
    const waiting = await deliveryOf();
    const answered = await deliveryOf();
    bench.receiver.answering = () => ({ status: 410 });
    expect(await bench.attempt(answered)).toBeNull();
    expect(await disabled(gone)).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('410') });
    expect(await bench.read(answered)).toMatchObject({ status: 'exhausted' });
    expect(await bench.read(waiting)).toMatchObject({ status: 'cancelled' });
    expect(await bench.attempt(waiting)).toBeNull();
    expect(bench.receiver.received).toHaveLength(1);
    await bench.acme.ask(`/api/webhooks/${gone}`, { method: 'PATCH', body: { enabled: true } });
    expect(await disabled(gone)).toMatchObject({ enabled: true, disabledReason: null, failingSince: null });
    bench.receiver.answering = () => ({ status: 500 });
    await bench.attempt(await deliveryOf());
    await bench.api.database.owner.query(`update webhooks set failing_since = now() - interval '4 days 23 hours'`);
    await bench.attempt(await deliveryOf());
    expect(await disabled(gone)).toMatchObject({ enabled: true });
    await bench.api.database.owner.query(`update webhooks set failing_since = now() - interval '5 days 1 minute'`);
    await bench.attempt(await deliveryOf());
    expect(await disabled(gone)).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('5 days') });
    const audit = await bench.acme.ask('/api/audit?action=webhook.disabled');
    expect(audit.body).toMatchObject({ data: [{ actor: { kind: 'system' } }, { actor: { kind: 'system' } }] });
  });

  it('an attempt that two workers make is one on the record, and one of a deleted webhook is none', async () => {
    const { id: webhookId } = (await bench.create()).body;
    const id = await deliveryOf();
    await Promise.all([bench.attempt(id), bench.attempt(id), bench.attempt(id)]);
    expect((await bench.read(id)).attempts).toHaveLength(1);
    const late = await deliveryOf();
    await bench.acme.ask(`/api/webhooks/${webhookId}`, { method: 'DELETE' });
    bench.receiver.received.length = 0;
    expect(await bench.attempt(late)).toBeNull();
    expect(bench.receiver.received).toEqual([]);
  });
});
