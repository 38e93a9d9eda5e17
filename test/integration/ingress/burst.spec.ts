import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import type { ExactJson } from '../../../src/domain/digest/exact-json.js';
import { githubPullRequest } from '../../support/webhooks/payloads.js';
import { IngressBench } from '../../support/webhooks/ingress-bench.js';

let bench: IngressBench;
beforeAll(async () => {
  bench = await IngressBench.start();
  bench.hasSocket = false;
});
afterAll(() => bench?.close());
beforeEach(() => bench.clear());

/** The nightly campaign sends 10,000. */
const DUPLICATES = Number(process.env['TEST_DUPLICATE_WEBHOOKS'] ?? 2000);
const AT_ONCE = 64;

describe('many webhooks at once', () => {
  it('thousands of duplicates make one delivery and one run, in whatever order they are handled', async () => {
    await bench.subscribe();
    const payload = JSON.stringify(githubPullRequest({ title: uuidv7() }));
    const limit = pLimit(AT_ONCE);
    const before = await bench.count('sessions');
    let handling: Promise<unknown> = Promise.resolve();
    const deliveries = new Set<string>();
    let first = 0;
    const one = async (n: number): Promise<void> => {
      // Half of them come under an id of their own, as Gitea sends again.
      const answer = await bench.send(payload, { delivery: n % 2 === 0 ? 'the-same' : `again-${n}` });
      expect(answer.status).toBe(200);
      const { delivery_id: id, duplicate } = answer.body as unknown as { delivery_id: string; duplicate: boolean };
      deliveries.add(id);
      if (!duplicate) first += 1;
      // Its workflow may be started more than once, and work while they come.
      if (n % (DUPLICATES / 10) === 0) handling = Promise.all([handling, bench.handle(id)]);
    };
    await Promise.all(Array.from({ length: DUPLICATES }, (_, n) => limit(() => one(n))));
    await handling;
    const [delivery = ''] = deliveries;
    await bench.handle(delivery);
    expect([deliveries.size, first, await bench.count('trigger_deliveries')]).toEqual([1, 1, 1]);
    expect((await bench.dispatches(delivery)).map(({ status }) => status)).toEqual(['created']);
    expect((await bench.count('sessions')) - before).toBe(1);
  });

  it('each of a burst is stored under its own id, with one wake-up, whatever else is in its statement', async () => {
    await bench.subscribe({ repositories: ['acme/even'] });
    const limit = pLimit(AT_ONCE);
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, n) =>
        limit(async () => {
          const repository = n % 2 === 0 ? 'acme/even' : 'acme/odd';
          const answer = await bench.send(githubPullRequest({ repository, number: n + 1, title: `of ${n} \\ "{},` }), {
            delivery: `burst-${n}`,
          });
          return [n, (answer.body as unknown as { delivery_id: string }).delivery_id] as const;
        }),
      ),
    );
    const { owner } = bench.api.database;
    const { rows } = await owner.query<{ id: string; external_event_id: string; number: number; title: string }>(
      `select id, external_event_id, (payload ->> 'number')::int as number, event ->> 'title' as title from trigger_deliveries`,
    );
    const stored = new Map(rows.map((row) => [row.id, row]));
    expect(stored.size).toBe(500);
    for (const [n, id] of answers)
      expect(stored.get(id)).toEqual({ id, external_event_id: `burst-${n}`, number: n + 1, title: `of ${n} \\ "{},` });
    const woken = await owner.query<{ subject_id: string }>('select subject_id from driver_outbox');
    expect(new Set(woken.rows.map((row) => row.subject_id))).toEqual(
      new Set(answers.filter(([n]) => n % 2 === 0).map(([, id]) => id)),
    );
    expect(woken.rowCount).toBe(250);
  });

  it('processes that store the same webhooks at once agree on each, and none waits for another forever', async () => {
    const { WebhookStore } = await import('../../../src/core/ingress/webhook-store.js');
    const { mapEvent } = await import('../../../src/domain/triggers/events/map-event.js');
    const processes = await Promise.all(
      [1, 2, 3, 4].map(async () => new WebhookStore(await bench.api.database.connect({ poolSize: 2 }))),
    );
    const webhooks = Array.from({ length: 60 }, (_, n) => {
      const payload = JSON.stringify(githubPullRequest({ number: n + 1, title: `race ${n}` }));
      const mapped = mapEvent('pull_request', JSON.parse(payload) as ExactJson);
      if ('ignored' in mapped) throw new Error('not mapped');
      return { connectionId: bench.connectionId, externalEventId: `race-${n}`, payload, event: mapped.event };
    });
    const stored = await Promise.all(
      processes.flatMap((process, at) => {
        // Each in an order of its own.
        const turned = [...webhooks.slice(at * 15), ...webhooks.slice(0, at * 15)];
        return (at % 2 === 0 ? turned : turned.toReversed()).map(async (webhook) => ({
          of: webhook.externalEventId,
          ...(await process.store(bench.api.organizationId, webhook)),
        }));
      }),
    );
    const byEvent = Map.groupBy(stored, ({ of }) => of);
    expect(byEvent.size).toBe(60);
    for (const answers of byEvent.values()) {
      expect(new Set(answers.map(({ deliveryId }) => deliveryId)).size).toBe(1);
      expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    }
  });
});
