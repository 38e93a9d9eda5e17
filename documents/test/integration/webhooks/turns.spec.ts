import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryTurns } from '../../../src/core/webhooks/delivery-turns.js';
import { EventReceiver } from '../../support/webhooks/event-receiver.js';
import { openWebhooksBench, type WebhooksBench } from '../../support/webhooks/webhooks-bench.js';

describe('turns of deliveries', () => {
  let bench: WebhooksBench;
  let other: EventReceiver;
  beforeAll(async () => {
    bench = await openWebhooksBench();
    other = await EventReceiver.start();
  });
  afterAll(async () => {
    await bench.close();
    await other.close();
  });

  it('DI-022 an attempt without a place is put off longer each time, and is no attempt', async () => {
    const turns = new DeliveryTurns({ ofWebhook: 2, ofOrganization: 3 });
    const place = { ...bench.place, turns };
    await bench.create({ events: ['document.ready'] });
    await bench.create({ events: ['document.partial'], url: other.url });
    const slow = (await Promise.all([1, 2, 3].map(() => bench.happen('document.ready')))).flat();
    const quick = (await Promise.all([1, 2].map(() => bench.happen('document.partial')))).flat();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    bench.receiver.answering = () => ({ status: 204, after: answered });
    const underWay = slow.slice(0, 2).map((id) => bench.attempt(id, place));
    await bench.receiver.untilReceived(2);
    const [waiting, second] = [slow[2] ?? '', quick[1] ?? ''];
    const waits: (number | null)[] = [];
    for (let time = 0; time < 4; time += 1) {
      waits.push(await bench.attempt(waiting, place));
      await bench.makeDue(waiting);
    }
    for (const [time, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(100 * 2 ** time);
      expect(wait).toBeLessThanOrEqual(300 * 2 ** time);
    }
    expect(await bench.read(waiting)).toMatchObject({ status: 'pending', attempts: [] });
    // Another webhook has a place; a second attempt of it has none, because the organization has none.
    other.answering = () => ({ status: 204, after: answered });
    underWay.push(bench.attempt(quick[0] ?? '', place));
    await other.untilReceived(1);
    expect(await bench.attempt(second, place)).toBeGreaterThan(0);
    answer();
    expect(await Promise.all(underWay)).toEqual([null, null, null]);
    await Promise.all([waiting, second].map((id) => bench.makeDue(id)));
    expect(await Promise.all([waiting, second].map((id) => bench.attempt(id, place)))).toEqual([null, null]);
    expect(await bench.read(waiting)).toMatchObject({ status: 'succeeded', attempts: [{ number: 1 }] });
  });
});
