import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { ResultReceiver, type Manner } from '../../support/deliveries/result-receiver.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import { StackSubscriptions } from '../../support/deliveries/stack-subscriptions.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';

/** In all, so that each manner of failing occurs; the nightly campaign delivers 5,000. */
const DELIVERIES = Number(process.env['TEST_DELIVERIES'] ?? 90);
const EACH_RUN = 10;
const RUNS = Math.ceil(DELIVERIES / EACH_RUN);
const WITHIN_MS = 120_000 + DELIVERIES * 600;

/** Of ten receivers three fail, each in the manner of its number, for one to five requests; one of thirty for ever. */
const FAILURES: Manner[] = [500, 'cut', 410, 'redirect', 503, 'silence', 404, 401, 429];

interface Receiver {
  path: string;
  failures: number;
  manner: Manner;
}

function receiverOf(number: number): Receiver {
  const path = `/receiver/${number}`;
  if (number % 10 > 2) return { path, failures: 0, manner: 204 };
  const dead = number % 30 === 0;
  return { path, failures: dead ? Infinity : 1 + (number % 5), manner: FAILURES[number % FAILURES.length]! };
}

/** Results for receivers of which three in ten fail. */
export function deliversToMany(enter: EnterStack): void {
  const receivers = Array.from({ length: RUNS * EACH_RUN }, (_one, number) => receiverOf(number));
  const byPath = new Map(receivers.map((receiver) => [receiver.path, receiver]));
  let stack: LiveStack;
  let receiver: ResultReceiver;
  let subscriptions: StackSubscriptions;
  let subscription: CalledBack;

  beforeAll(async () => {
    receiver = await ResultReceiver.start();
    receiver.manner = (path, index) => {
      const of = byPath.get(path);
      if (of === undefined) throw new Error(`nobody is at ${path}`);
      return index <= of.failures ? of.manner : 204;
    };
    stack = await enter();
    await stack.createReplayAgent('sender');
    subscriptions = await StackSubscriptions.of(stack, 'sender');
    subscription = await subscriptions.subscribe(receiver.url('/'));
    receiver.secret = subscription.secret;
  });

  afterAll(async () => {
    await subscriptions?.close();
    await receiver?.close();
  });

  it(
    'proof 7: CP-296 CP-297 CP-298 each arrives at least once, signed, though the worker is killed; no run changes',
    async () => {
      const runs = Array.from({ length: RUNS }, (_one, run) =>
        receivers.slice(run * EACH_RUN, (run + 1) * EACH_RUN).map(({ path }) => receiver.url(path)),
      );
      const ids = await subscriptions.startEnded(subscription, runs);
      await stack.until('a third of the receivers to be asked', WITHIN_MS, () =>
        Promise.resolve(receiver.received.length * 3 > receivers.length ? true : undefined),
      );
      stack.kill('worker');
      await untilSettled();
      for (const id of ids) await expectDelivered(id);
      expect(receiver.received.filter(({ signed }) => !signed)).toEqual([]);
    },
    WITHIN_MS * 2,
  );

  async function untilSettled(): Promise<void> {
    const database = StackDatabase.of(stack);
    await stack.until('every delivery to be settled', WITHIN_MS, async () => {
      const [row] = await database.query<{ n: number }>(
        `select count(*)::int as n from result_deliveries where status = 'pending'`,
      );
      return row?.n === 0 ? true : undefined;
    });
  }

  /** What the record and the receivers say of the deliveries of one run. */
  async function expectDelivered(runId: string): Promise<void> {
    const path = `/v1/sessions/${runId}/deliveries`;
    const { deliveries } = await stack.json<{ deliveries: Schemas['DeliveryView'][] }>('GET', path);
    const { status } = await stack.session(runId);
    const events = (await stack.timeline(runId)).filter(({ type }) => type.startsWith('callback.'));
    expect([status, deliveries.length, events.length]).toEqual(['completed', EACH_RUN, EACH_RUN]);
    for (const { id, destination, status: settled, attempts } of deliveries) {
      const { pathname } = new URL((destination as { url: string }).url);
      const { failures } = byPath.get(pathname)!;
      const requests = receiver.of(id);
      const arrived = failures < 6;
      expect({ pathname, settled, asked: requests.length > failures }).toEqual({
        pathname,
        settled: arrived ? 'delivered' : 'failed',
        asked: arrived,
      });
      expect(new Set(requests.map((request) => request.path))).toEqual(new Set([pathname]));
      expect(new Set(requests.map(({ body }) => body.attempt)).size).toBe(attempts);
      const event = events.find(({ payload }) => payload.data['delivery_id'] === id);
      expect(event?.type).toBe(arrived ? 'callback.delivered' : 'callback.failed');
    }
  }
}
