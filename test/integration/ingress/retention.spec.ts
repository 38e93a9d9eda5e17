import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import { sweepExpired } from '../../../src/core/maintenance/sweeps.js';
import { until } from '../../support/time/until.js';
import { githubPullRequest } from '../../support/webhooks/payloads.js';
import { IngressBench } from '../../support/webhooks/ingress-bench.js';

let bench: IngressBench;
beforeAll(async () => {
  bench = await IngressBench.start();
});
afterAll(() => bench?.close());
beforeEach(() => bench.clear());

const payload = githubPullRequest({ number: 7 });
const sweep = (limit = 100) => sweepExpired(bench.api.db.pool, { limit, idempotencyDays: 30 });

/** All stored webhooks came, and were handled, so long ago. */
async function age(interval: string): Promise<void> {
  await bench.api.database.owner.query(
    `update trigger_deliveries set received_at = received_at - interval '${interval}', handled_at = handled_at - interval '${interval}'`,
  );
}

async function historyOf(subscription: string): Promise<Schemas['EventDispatchView'][]> {
  const { body } = await bench.api.get(`/v1/triggers/${subscription}`);
  return (body as unknown as Schemas['TriggerWithHistory']).dispatches;
}

/** Until a statement of this database waits for another's row. */
async function untilBlocked(): Promise<void> {
  const text = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await until(
    async () => (await bench.api.database.owner.query<{ n: number }>(text)).rows[0]?.n,
    (waiting) => waiting === 1,
  );
}

describe('a stored webhook that was handled', () => {
  it('is kept for 30 days, and what came of it stays in the history of its trigger', async () => {
    const subscription = await bench.subscribe();
    const failing = await bench.subscribe({ task_template: '{{secret}}' });
    const delivery = await bench.receive(payload, { delivery: 'kept' });
    const [started] = await historyOf(subscription);
    expect(started).toEqual({
      id: expect.any(String),
      delivery_id: delivery,
      subscription_id: subscription,
      event_type: 'pull_request.opened',
      resource: 'acme/shop#7',
      session_id: expect.any(String),
      status: 'created',
      skip_reason: null,
      created_at: expect.any(String),
    });
    const [failed] = await historyOf(failing);
    expect(failed).toMatchObject({ status: 'error', session_id: null, skip_reason: expect.stringMatching(/^error: /) });
    await age('29 days 23 hours');
    await sweep();
    expect(await bench.count('trigger_deliveries')).toBe(1);
    await age('2 hours');
    await sweep();
    expect(await bench.count('trigger_deliveries')).toBe(0);
    expect(await historyOf(subscription)).toEqual([{ ...started, delivery_id: null }]);
    expect(await historyOf(failing)).toEqual([{ ...failed, delivery_id: null }]);
    const again = await bench.send(payload, { delivery: 'kept' });
    expect(again.body).toMatchObject({ duplicate: false });
  });

  it('stays while a trigger waits for it, however old it is', async () => {
    await bench.subscribe();
    const { body } = await bench.send(payload);
    await age('90 days');
    await sweep();
    expect(await bench.count('trigger_deliveries')).toBe(1);
    await bench.handle((body as unknown as { delivery_id: string }).delivery_id);
    await sweep();
    expect(await bench.count('trigger_deliveries')).toBe(1);
  });

  it('goes in batches', async () => {
    for (const title of ['a', 'b', 'c']) await bench.send(githubPullRequest({ title }));
    await age('31 days');
    expect(await sweep(2)).toBe(2);
    expect(await bench.count('trigger_deliveries')).toBe(1);
    expect(await sweep(2)).toBe(1);
  });

  it('that is sent again while it is swept counts as new', async () => {
    await bench.send(payload, { delivery: 'raced' });
    const holder = await bench.api.database.owner.connect();
    try {
      await holder.query('begin');
      await holder.query('delete from trigger_deliveries');
      const sending = bench.send(payload, { delivery: 'raced' });
      await untilBlocked();
      await holder.query('commit');
      expect((await sending).body).toMatchObject({ duplicate: false });
    } finally {
      holder.release();
    }
    expect(await bench.count('trigger_deliveries')).toBe(1);
  });

  it('the newest thirty of a trigger are shown, newest first', async () => {
    const subscription = await bench.subscribe({ task_template: '{{secret}}' });
    for (let number = 1; number <= 32; number += 1) await bench.receive(githubPullRequest({ number, title: uuidv7() }));
    expect((await historyOf(subscription)).map(({ resource }) => resource)).toEqual(
      Array.from({ length: 30 }, (_, index) => `acme/shop#${32 - index}`),
    );
  });
});
