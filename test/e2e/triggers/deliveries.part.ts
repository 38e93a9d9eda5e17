import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Schemas } from '../../../src/client/client.js';
import { ResultReceiver, type ReceivedResult } from '../../support/deliveries/result-receiver.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import { StackSubscriptions } from '../../support/deliveries/stack-subscriptions.js';
import type { LiveStack, Part } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';

type Delivery = Schemas['DeliveryView'];

/** Instead of seconds to an hour. */
export const WAITS_MS = [300, 400, 500, 600, 700];
const SAYS = [{ say: 'done' }];
const PATIENCE_MS = 90_000;

/** The result of a subscribed run. */
export function deliversResults(enter: EnterStack): void {
  let stack: LiveStack;
  let receiver: ResultReceiver;
  let subscriptions: StackSubscriptions;
  let subscription: CalledBack;
  let paths = 0;

  beforeAll(async () => {
    receiver = await ResultReceiver.start();
    stack = await enter();
    await stack.createReplayAgent('worker');
    subscriptions = await StackSubscriptions.of(stack, 'worker');
    subscription = await subscriptions.subscribe(receiver.url('/'));
    receiver.secret = subscription.secret;
  });

  afterAll(async () => {
    await subscriptions?.close();
    await receiver?.close();
  });

  beforeEach(() => {
    receiver.manner = () => 204;
  });

  /** A run that is over, with one delivery on its way to a receiver that behaves so. */
  async function ended(manner: typeof receiver.manner): Promise<Delivery> {
    const path = `/receiver/${(paths += 1)}`;
    receiver.manner = (asked, index) => (asked === path ? manner(asked, index) : 204);
    const [runId] = await subscriptions.startEnded(subscription, [[receiver.url(path)]]);
    return (await deliveriesOf(runId!))[0]!;
  }

  async function deliveriesOf(runId: string): Promise<Delivery[]> {
    return (await stack.json<{ deliveries: Delivery[] }>('GET', `/v1/sessions/${runId}/deliveries`)).deliveries;
  }

  const untilSettled = (delivery: Delivery): Promise<Delivery> =>
    stack.until(`delivery ${delivery.id} to be settled`, PATIENCE_MS, async () => {
      const now = (await deliveriesOf(delivery.session_id)).find(({ id }) => id === delivery.id);
      return now?.status === 'pending' ? undefined : now;
    });

  const untilReceived = (delivery: Delivery, count: number): Promise<ReceivedResult[]> =>
    stack.until(`${count} requests of ${delivery.id}`, PATIENCE_MS, () =>
      Promise.resolve(receiver.of(delivery.id).length >= count ? receiver.of(delivery.id) : undefined),
    );

  const attemptsOf = (delivery: Delivery): (number | null)[] =>
    receiver.of(delivery.id).map(({ body }) => body.attempt);

  async function callbackEvents(runId: string): Promise<string[]> {
    return (await stack.timeline(runId)).map(({ type }) => type).filter((type) => type.startsWith('callback.'));
  }

  it('CP-104 CP-188 arrives signed when its run has ended, with the diff', async () => {
    const runId = await subscriptions.start(
      subscription,
      [receiver.url('/ordinary')],
      [{ tool: 'Write', input: { file_path: '/workspace/new.txt', content: 'hello\n' } }, ...SAYS],
    );
    expect((await stack.untilTerminal(runId)).status).toBe('completed');
    const [delivery] = await deliveriesOf(runId);
    expect(await untilSettled(delivery!)).toMatchObject({ status: 'delivered', attempts: 1, last_error: null });
    const [request] = receiver.of(delivery!.id);
    expect(request!.signed).toBe(true);
    expect(request!.body.run).toMatchObject({ id: runId, status: 'completed', agent_name: 'worker' });
    expect(request!.body.artifacts.find(({ kind }) => kind === 'diff')?.content).toContain('+hello');
    expect(await callbackEvents(runId)).toEqual(['callback.delivered']);
  }, 120_000);

  it('CP-296 CP-297 a dead receiver gets six attempts on the listed waits, and its run stays as it ended', async () => {
    const delivery = await ended(() => 503);
    const before = await stack.session(delivery.session_id);
    expect(await untilSettled(delivery)).toMatchObject({ status: 'failed', attempts: 6, last_error: 'answered 503' });
    const requests = receiver.of(delivery.id);
    expect(attemptsOf(delivery)).toEqual([1, 2, 3, 4, 5, 6]);
    const gaps = requests.slice(1).map(({ at }, index) => at - requests[index]!.at);
    WAITS_MS.forEach((wait, index) => expect(gaps[index]).toBeGreaterThanOrEqual(wait * 0.9));
    expect(requests.every(({ signed }) => signed)).toBe(true);
    expect(await callbackEvents(delivery.session_id)).toEqual(['callback.failed']);
    const after = await stack.session(delivery.session_id);
    expect([after.status, after.status_reason]).toEqual([before.status, before.status_reason]);
  }, 120_000);

  it('CP-298 a settled one is sent again from its first attempt, at once', async () => {
    const delivery = await ended((_path, index) => (index <= 6 ? 500 : 204));
    expect((await untilSettled(delivery)).status).toBe('failed');
    const again = await stack.json<Delivery>(
      'POST',
      `/v1/sessions/${delivery.session_id}/deliveries/${delivery.id}/resend`,
    );
    expect(again).toMatchObject({ id: delivery.id, status: 'pending', attempts: 0 });
    expect(await untilSettled(delivery)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(attemptsOf(delivery)).toEqual([1, 2, 3, 4, 5, 6, 1]);
  }, 120_000);

  it('CP-296 kill -9 of the worker between sending and recording repeats the attempt under its number', async () => {
    const delivery = await ended((_path, index) => (index === 1 ? 'silence' : 204));
    await untilReceived(delivery, 1);
    stack.kill('worker');
    await untilReceived(delivery, 2);
    expect(await untilSettled(delivery)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(attemptsOf(delivery)).toEqual([1, 1]);
    expect(await callbackEvents(delivery.session_id)).toEqual(['callback.delivered']);
  }, 120_000);

  it.each<[Part]>([['api'], ['worker'], ['temporal'], ['postgres']])(
    'CP-296 kill -9 of %s while it is tried leaves its count and its one end',
    async (part) => {
      const delivery = await ended((_path, index) => (index <= 2 ? 500 : 204));
      await untilReceived(delivery, 1);
      stack.kill(part);
      expect(await untilSettled(delivery)).toMatchObject({ status: 'delivered' });
      const attempts = attemptsOf(delivery).map(Number);
      expect(attempts).toEqual(attempts.toSorted((one, other) => one - other));
      expect(new Set(attempts)).toEqual(new Set(Array.from({ length: attempts.at(-1)! }, (_one, index) => index + 1)));
      expect(await callbackEvents(delivery.session_id)).toEqual(['callback.delivered']);
      expect((await stack.session(delivery.session_id)).status).toBe('completed');
    },
    180_000,
  );

  it('CP-296 whose workflow is lost on the way is taken up again at the attempt that was due', async () => {
    const delivery = await ended((_path, index) => (index === 1 ? 500 : 204));
    await untilReceived(delivery, 1);
    const connection = await Connection.connect({ address: stack.installation.temporalAddress });
    try {
      await new Client({ connection }).workflow.getHandle(`delivery-${delivery.id}`).terminate('recorded as lost');
    } finally {
      await connection.close();
    }
    expect(await untilSettled(delivery)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(attemptsOf(delivery)).toEqual([1, 2]);
  }, 180_000);
}
