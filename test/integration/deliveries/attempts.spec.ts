import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createDeliveries } from '../../../src/core/deliveries/delivery-records.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { callbackSignature, standardSecret } from '../../../src/domain/deliveries/webhook-headers.js';
import { digestOfText } from '../../../src/domain/digest/digest.js';
import { verifyExport } from '../../../src/domain/ledger/verify-export.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { WebhookReceiver } from '../../support/http/webhook-receiver.js';
import { readMetrics } from '../../support/telemetry/scraped-metrics.js';

let bench: DeliveryBench;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  bench = await DeliveryBench.start();
});
afterAll(async () => {
  await bench?.api.close();
  await receiver?.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answering = () => 204;
});

const bodyAt = (index: number): Record<string, unknown> =>
  JSON.parse(receiver.received[index]!.text) as Record<string, unknown>;

describe('the result of a run', () => {
  it('CP-104 CP-298 arrives as its callback, signed in both ways over the bytes that were sent', async () => {
    const subscription = await bench.subscribe(receiver.url);
    const way = await bench.ended(subscription);
    expect(await bench.attempt(way)).toEqual({ attempt: 1, waitMs: null });
    const [{ headers, text }] = receiver.received as [(typeof receiver.received)[0]];
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'run.finished',
      'x-service-delivery': way.deliveryId,
      'webhook-id': way.deliveryId,
    });
    const timestamp = Number(headers['x-service-timestamp']);
    expect(Math.abs(Date.now() / 1000 - timestamp)).toBeLessThan(60);
    expect(headers['x-service-signature']).toBe(callbackSignature(subscription.secret, timestamp, text));
    const verifier = new Webhook(standardSecret(subscription.secret));
    expect(verifier.verify(text, headers as Record<string, string>)).toEqual(bodyAt(0));
    expect(() =>
      new Webhook(standardSecret('svc_whsec_other')).verify(text, headers as Record<string, string>),
    ).toThrow();
    expect(JSON.stringify([headers, text])).not.toContain(subscription.secret);
  });

  it('CP-104 carries run, usage and artifacts under their exact names', async () => {
    const subscription = await bench.subscribe(receiver.url);
    const runId = await bench.run(subscription);
    await bench.own(
      `insert into artifacts (id, tenant_id, session_id, kind, name, content, content_type, size_bytes, digest, truncated)
       values (gen_random_uuid(), $1, $2, 'diff', 'changes.patch', '+one line', 'text/x-diff', 9, $3, false)`,
      [bench.api.organizationId, runId, digestOfText('+one line')],
    );
    await bench.end(runId);
    const way = await bench.wayOf(runId);
    await bench.attempt(way);
    const { session } = (await bench.api.get(`/v1/sessions/${runId}`)).body;
    expect(bodyAt(0)).toEqual({
      event: 'run.finished',
      delivery_id: way.deliveryId,
      attempt: 1,
      run: {
        id: runId,
        status: 'completed',
        status_reason: null,
        agent_id: session.agent_id,
        agent_revision_id: session.agent_revision_id,
        agent_name: 'fixer',
        task: '[]',
        summary: 'all is well',
        invocation: { kind: 'api', subscription_id: subscription.id, actor: expect.stringMatching(/^trigger:/) },
        created_at: session.created_at,
        started_at: session.started_at,
        finished_at: session.finished_at,
      },
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        cost_usd: 0,
        requests: 0,
        tool_calls: 0,
      },
      artifacts: expect.arrayContaining([
        {
          id: expect.any(String),
          kind: 'diff',
          name: 'changes.patch',
          content_type: 'text/x-diff',
          content: '+one line',
        },
        {
          id: expect.any(String),
          kind: 'summary',
          name: 'summary.md',
          content_type: 'text/markdown',
          content: 'all is well',
        },
      ]),
    });
    const [delivery] = await bench.deliveries(runId);
    expect(delivery?.payload_digest).toBe(digestOfText(receiver.received[0]!.text));
  });

  it.each(['completed', 'failed', 'cancelled', 'budget_exceeded'])(
    'CP-133 CP-188 of a run that is %s is a pending delivery from the moment that it ends, once',
    async (outcome) => {
      const subscription = await bench.subscribe(receiver.url);
      const runId = await bench.run(subscription);
      expect((await bench.api.get(`/v1/sessions/${runId}/deliveries`)).body).toEqual({ deliveries: [] });
      await bench.end(runId, outcome, null);
      await bench.api.db.withTenant(bench.api.organizationId, async (tx) => {
        await concludeRun(tx, runId);
        await createDeliveries(tx, runId);
      });
      const answer = await bench.api.get(`/v1/sessions/${runId}/deliveries`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        deliveries: [
          {
            id: expect.any(String),
            session_id: runId,
            subscription_id: subscription.id,
            destination: { kind: 'signed_webhook', url: receiver.url, binding_id: expect.any(String) },
            status: 'pending',
            attempts: 0,
            next_attempt_at: expect.any(String),
            last_error: null,
            payload_digest: null,
            delivered_at: null,
            created_at: expect.any(String),
            updated_at: expect.any(String),
          },
        ],
      });
      const wakeUps = await bench.own('select 1 from driver_outbox where subject_id = $1 and kind = $2', [
        runId,
        'deliveries_due',
      ]);
      expect(wakeUps.length).toBeGreaterThanOrEqual(1);
    },
  );

  it('CP-133 goes nowhere for a run that nobody subscribed to', async () => {
    const { session } = (await bench.api.post('/v1/sessions', { agent: 'fixer', task: '[]' })).body;
    await bench.end(session.id);
    expect((await bench.api.get(`/v1/sessions/${session.id}/deliveries`)).body).toEqual({ deliveries: [] });
  });

  it('CP-188 is listed to whoever may read the run alone', async () => {
    const path = `/v1/sessions/${await bench.run(await bench.subscribe(receiver.url))}/deliveries`;
    expect((await bench.api.get(path, { token: null })).status).toBe(401);
    const member = await bench.api.addUser('member');
    expect((await bench.api.get(path, { token: member.token })).status).toBe(404);
    expect((await bench.api.get('/v1/sessions/01900000-0000-7000-8000-000000000000/deliveries')).status).toBe(404);
    expect((await bench.api.get('/v1/sessions/nothing/deliveries')).status).toBe(404);
  });
});

describe('an attempt that fails', () => {
  it('CP-296 CP-297 CP-298 is made six times in all, then given up; the run is as it was', async () => {
    receiver.answering = (index) => [500, 302, 410, 401, 404, 503][index] ?? 204;
    const way = await bench.ended(await bench.subscribe(receiver.url));
    const before = (await bench.api.get(`/v1/sessions/${way.runId}`)).body.session;
    const waits: (number | null)[] = [];
    for (const attempt of [1, 2, 3, 4, 5, 6]) {
      const made = await bench.attempt(way, attempt);
      expect(made.attempt).toBe(attempt);
      waits.push(made.waitMs);
      const [row] = await bench.deliveries(way.runId);
      expect(row).toMatchObject({ attempts: attempt, status: attempt < 6 ? 'pending' : 'failed' });
      expect(row?.next_attempt_at === null).toBe(attempt === 6);
    }
    expect(waits).toEqual([5_000, 30_000, 180_000, 900_000, 3_600_000, null]);
    expect(receiver.received.map((_one, index) => bodyAt(index)['attempt'])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set([way.deliveryId]),
    );
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-signature'])).size).toBe(6);
    expect(await bench.callbackEvents(way.runId)).toEqual([
      {
        type: 'callback.failed',
        data: { delivery_id: way.deliveryId, url: receiver.url, attempts: 6, error: 'answered 503' },
      },
    ]);
    const after = (await bench.api.get(`/v1/sessions/${way.runId}`)).body.session;
    expect({ ...after, event_seq: 0 }).toEqual({ ...before, event_seq: 0 });
  });

  it('CP-297 says when the next one is due by the clock of the database, ± 10 %', async () => {
    receiver.answering = () => 500;
    for (const [random, least, most] of [
      [0, 4_500, 4_500],
      [0.999, 5_498, 5_500],
    ] as const) {
      const way = await bench.ended(await bench.subscribe(receiver.url));
      const { waitMs } = await bench.attempt(way, 1, { random });
      expect(waitMs).toBeGreaterThanOrEqual(least);
      expect(waitMs).toBeLessThanOrEqual(most);
      const [row] = await bench.own<{ ms: number }>(
        'select extract(epoch from next_attempt_at - updated_at) * 1000 as ms from result_deliveries where id = $1',
        [way.deliveryId],
      );
      expect(Math.round(Number(row?.ms))).toBe(waitMs);
    }
  });

  it('CP-296 that is not on the record is made again under its number, and one that is there is not', async () => {
    receiver.answering = () => 500;
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.attempt(way, 1);
    const again = await bench.attempt(way, 1);
    expect(again.attempt).toBe(1);
    expect(again.waitMs).toBeGreaterThan(0);
    expect(again.waitMs).toBeLessThanOrEqual(5_000);
    expect(receiver.received).toHaveLength(1);
    // Two activities for one attempt: both may send, one is counted.
    await Promise.all([bench.attempt(way, 2), bench.attempt(way, 2)]);
    expect((await bench.deliveries(way.runId))[0]?.attempts).toBe(2);
    expect(new Set(receiver.received.map((_one, index) => bodyAt(index)['attempt']))).toEqual(new Set([1, 2]));
  });

  it('CP-296 nothing is sent once it has arrived', async () => {
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.attempt(way, 1);
    expect(await bench.attempt(way, 1)).toEqual({ attempt: 1, waitMs: null });
    expect(await bench.attempt(way, 2)).toEqual({ attempt: 2, waitMs: null });
    expect(receiver.received).toHaveLength(1);
    expect(await bench.callbackEvents(way.runId)).toEqual([
      { type: 'callback.delivered', data: { delivery_id: way.deliveryId, url: receiver.url, attempt: 1 } },
    ]);
  });

  it('CP-296 silence ends with the time of an attempt', async () => {
    receiver.answering = () => 'silence';
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.attempt(way);
    expect((await bench.deliveries(way.runId))[0]?.last_error).toBe('no answer in 2000 ms');
  });

  it('CP-133 success forgets what failed before', async () => {
    receiver.answering = (index) => (index === 0 ? 500 : 200);
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.attempt(way, 1);
    expect((await bench.deliveries(way.runId))[0]?.last_error).toBe('answered 500');
    await bench.attempt(way, 2);
    expect((await bench.deliveries(way.runId))[0]).toMatchObject({
      status: 'delivered',
      attempts: 2,
      last_error: null,
      next_attempt_at: null,
      delivered_at: expect.any(Date),
    });
  });
});

describe('the record of a delivery', () => {
  it('stands behind the end of the run, and an export of the whole is verified offline', async () => {
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.attempt(way);
    const [signed] = await bench.own<{ seq: string; head: string }>(
      `select max(l.seq) as seq, max(h.seq) as head from ledger_heads l join session_heads h using (session_id) where l.session_id = $1`,
      [way.runId],
    );
    expect(signed?.seq).toBe(signed?.head);
    const exported = await bench.api.get(`/v1/sessions/${way.runId}/events/export`);
    expect(exported.text.trimEnd().split('\n').at(-2)).toContain('callback.delivered');
    const { public_key } = (await bench.api.get('/v1/ledger-key')).body;
    expect(await verifyExport(Buffer.from(exported.text), public_key)).toMatchObject({ ok: true, problems: [] });
    expect((await verifyExport(Buffer.from(exported.text.replace(receiver.url, 'http://x/')), public_key)).ok).toBe(
      false,
    );
  });

  it('is counted by how it ended', async () => {
    const counts = async (): Promise<[number, number]> => {
      const { series } = readMetrics((await bench.api.get('/v1/admin/metrics')).text);
      const of = (event: string): number => series.get(`service_deliveries_total{event="${event}"}`) ?? 0;
      return [of('delivered'), of('failed')];
    };
    const [delivered, failed] = await counts();
    await bench.attempt(await bench.ended(await bench.subscribe(receiver.url)));
    receiver.answering = () => 500;
    const way = await bench.ended(await bench.subscribe(receiver.url));
    for (const attempt of [1, 2, 3, 4, 5, 6]) await bench.attempt(way, attempt);
    expect(await counts()).toEqual([delivered + 1, failed + 1]);
  });
});
