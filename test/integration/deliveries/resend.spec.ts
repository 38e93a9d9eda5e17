import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listOverdueDeliveries, listPendingDeliveries } from '../../../src/core/deliveries/delivery-records.js';
import { DeliveryWorkflows } from '../../../src/core/driver/delivery-workflows.js';
import type { DeliveryWay } from '../../../src/domain/deliveries/delivery-way.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { WebhookReceiver } from '../../support/http/webhook-receiver.js';

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

const resend = (way: DeliveryWay, options: { token?: string } = {}) =>
  bench.api.post(`/v1/sessions/${way.runId}/deliveries/${way.deliveryId}/resend`, undefined, options);

/** What the driver is asked to start. */
function started(): { workflows: DeliveryWorkflows; ids: string[]; ways: DeliveryWay[] } {
  const [ids, ways]: [string[], DeliveryWay[]] = [[], []];
  const starter = {
    start: (id: string, way: DeliveryWay) => {
      ids.push(id);
      ways.push(way);
      return Promise.resolve();
    },
  };
  return { workflows: new DeliveryWorkflows(starter, bench.api.db), ids, ways };
}

describe('a delivery that is sent again', () => {
  it('CP-298 begins anew under its id, also one that had arrived, and is not repeated while it is on its way', async () => {
    const way = await bench.ended(await bench.subscribe(receiver.url));
    expect((await resend(way)).status).toBe(409);
    await bench.attempt(way);
    const answer = await resend(way);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id: way.deliveryId,
      status: 'pending',
      attempts: 0,
      last_error: null,
      delivered_at: null,
      next_attempt_at: expect.any(String),
    });
    expect((await resend(way)).status).toBe(409);
    expect(await bench.attempt(way)).toEqual({ attempt: 1, waitMs: null });
    expect(receiver.received).toHaveLength(1);
    await bench.attempt(await bench.wayOf(way.runId));
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([
      way.deliveryId,
      way.deliveryId,
    ]);
    expect(receiver.received.map(({ text }) => (JSON.parse(text) as { attempt: number }).attempt)).toEqual([1, 1]);
  });

  it('CP-297 has six attempts again when it had failed', async () => {
    receiver.answering = () => 500;
    const way = await bench.ended(await bench.subscribe(receiver.url));
    for (const attempt of [1, 2, 3, 4, 5, 6]) await bench.attempt(way, attempt);
    expect((await resend(way)).status).toBe(200);
    const again = await bench.wayOf(way.runId);
    for (const attempt of [1, 2, 3, 4, 5, 6]) await bench.attempt(again, attempt);
    expect(receiver.received).toHaveLength(12);
    const events = await bench.callbackEvents(way.runId);
    expect(events.map(({ type }) => type)).toEqual(['callback.failed', 'callback.failed']);
  });

  it('is for those who administer, and of the run that it is said to be of', async () => {
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.attempt(way);
    const other = await bench.run(await bench.subscribe(receiver.url));
    const approver = await bench.api.addUser('approver');
    const admin = await bench.api.addUser('admin');
    expect((await resend(way, { token: approver.token })).status).toBe(403);
    expect((await resend({ ...way, runId: other })).status).toBe(404);
    expect((await resend({ ...way, deliveryId: 'nothing' })).status).toBe(404);
    expect((await resend({ ...way, deliveryId: other })).status).toBe(404);
    expect((await resend(way, { token: admin.token })).status).toBe(200);
  });
});

describe('the workflows of deliveries', () => {
  it('CP-133 are started for what is pending, each way under a name of its own', async () => {
    const way = await bench.ended(await bench.subscribe(receiver.url));
    const first = started();
    await first.workflows.startOf(way);
    expect([first.ids, first.ways]).toEqual([[way.deliveryId], [way]]);
    await bench.attempt(way);
    const settled = started();
    await settled.workflows.startOf(way);
    expect(settled.ids).toEqual([]);
    await resend(way);
    const again = started();
    await again.workflows.startOf(way);
    expect([again.ids, again.ways]).toEqual([[`${way.deliveryId}-2`], [{ ...way, resends: 1 }]]);
  });

  it('CP-296 are started again where an attempt is long due, over all organizations', async () => {
    receiver.answering = () => 500;
    const way = await bench.ended(await bench.subscribe(receiver.url));
    const overdue = async (): Promise<string[]> => {
      const found = started();
      await found.workflows.startMissing(30_000);
      return found.ids.filter((id) => id.startsWith(way.deliveryId));
    };
    expect(await overdue()).toEqual([]);
    const late = (ms: number) =>
      bench.own(
        `update result_deliveries set next_attempt_at = clock_timestamp() - make_interval(secs => $2 / 1000.0) where id = $1`,
        [way.deliveryId, ms],
      );
    await late(31_000);
    expect(await overdue()).toEqual([way.deliveryId]);
    await bench.attempt(way);
    expect(await overdue()).toEqual([]);
    await late(31_000);
    expect(await overdue()).toEqual([way.deliveryId]);
    expect(await listOverdueDeliveries(bench.api.db.pool, 3_600_000, 100)).toEqual([]);
    const pending = await bench.api.db.withTenant(way.organizationId, (tx) => listPendingDeliveries(tx, way.runId));
    expect(pending).toEqual([way]);
  });
});
