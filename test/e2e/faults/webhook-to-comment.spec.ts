import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { ResultReceiver } from '../../support/deliveries/result-receiver.js';
import { LiveStack, QUICK_MAINTENANCE, type Part } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';
import { letGo } from '../../support/runs/working-run.js';
import { ReviewedPullRequests, type SentEvent } from '../../support/webhooks/reviewed-pull-requests.js';

/** One round is 40 injections; the nightly campaign runs eight. */
const ROUNDS = Number(process.env['TEST_WEBHOOK_FAULT_ROUNDS'] ?? 1);
/** All kills of one part come together: a part that lived for long before is started again without a pause. */
const PARTS: Part[] = ['api', 'worker', 'temporal', 'postgres'];
const MOMENTS = ['stored', 'created', 'working', 'ending', 'commented'] as const;
/** What comes at once: of pull requests, two in the nightly campaign, or two of the same one, which then report in one comment. */
const GROUPS = [IS_NIGHTLY ? 'two pull requests' : 'a pull request', 'a pull request and a push to it'] as const;
const KILLS = Array.from({ length: ROUNDS }, (_, round) =>
  GROUPS.flatMap((group) =>
    PARTS.flatMap((part) => MOMENTS.map((moment) => [part, moment, group, round + 1] as const)),
  ),
).flat();
const PATIENCE_MS = 180_000;
const SETTLED_WITHIN_MS = 300_000;

type Moment = (typeof MOMENTS)[number];
type Event = SentEvent & { id: string };

interface Dispatch {
  delivery_id: string;
  session_id: string | null;
  status: string;
  skip_reason: string | null;
}

describe('between the arrival of a webhook and the comment of its run', () => {
  let reviewed: ReviewedPullRequests;
  let receiver: ResultReceiver;
  let stack: LiveStack;
  let database: StackDatabase;
  let numbers = 0;
  const killed = new Map<Part, Set<number>>(PARTS.map((part) => [part, new Set()]));
  const taken: Event[] = [];
  const runs: string[] = [];

  beforeAll(async () => {
    reviewed = await ReviewedPullRequests.start();
    receiver = await ResultReceiver.start();
    stack = await LiveStack.start({
      ...reviewed.settings,
      SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      SERVICE_DELIVERY_WAITS_MS: '500,1000,2000,4000,8000',
      ...QUICK_MAINTENANCE,
    });
    database = StackDatabase.of(stack);
    receiver.secret = await reviewed.subscribe(stack, receiver.url('/'));
  }, 180_000);

  afterAll(async () => {
    await stack?.stop();
    await receiver?.close();
    await reviewed?.close();
  }, 120_000);

  /** `kill -9` of a process that has not been killed before. */
  async function kill(part: Part): Promise<void> {
    const before = killed.get(part)!;
    const pid = await stack.until(`${part} to live`, PATIENCE_MS, () => {
      const now = stack.installation.pids[part];
      return Promise.resolve(now === undefined || before.has(now) ? undefined : now);
    });
    before.add(pid);
    stack.kill(part);
  }

  async function send(events: SentEvent[]): Promise<Event[]> {
    const ids = await Promise.all(events.map((event) => reviewed.send(stack, event)));
    const sent = events.map((event, index) => ({ ...event, id: ids[index]! }));
    taken.push(...sent);
    return sent;
  }

  /** Events of pull requests that nobody has heard of. */
  function eventsFor(group: (typeof GROUPS)[number], work: SentEvent['work']): SentEvent[] {
    const opened = { number: (numbers += 1), action: 'opened', work } as const;
    if (group === 'a pull request') return [opened];
    if (group === 'two pull requests') return [opened, { ...opened, number: (numbers += 1) }];
    return [opened, { ...opened, action: 'synchronize' }];
  }

  const dispatchesOf = (events: Event[]): Promise<Dispatch[]> =>
    database.query<Dispatch>('select * from trigger_dispatches where delivery_id = any ($1)', [
      events.map(({ id }) => id),
    ]);

  /** Ids of the runs of events, once they work. */
  const untilWorking = (events: Event[]): Promise<string[]> =>
    stack.until('the runs to work', PATIENCE_MS, async () => {
      const rows = await database.query<{ id: string }>(
        `select s.id from sessions s join trigger_dispatches d on d.session_id = s.id
          where d.delivery_id = any ($1) and s.status = 'running'`,
        [events.map(({ id }) => id)],
      );
      return rows.length === events.length ? rows.map(({ id }) => id) : undefined;
    });

  /** Brings events to the moment and kills the part there. Nobody waits for what comes of them. */
  const injections: Record<Moment, (part: Part, group: (typeof GROUPS)[number]) => Promise<void>> = {
    stored: async (part, group) => {
      await send(eventsFor(group, 'quick'));
      await kill(part);
    },
    created: (part, group) =>
      database.whileHeld('trigger_dispatches', async (untilWaitedFor) => {
        await send(eventsFor(group, 'quick'));
        await untilWaitedFor();
        await kill(part);
      }),
    working: async (part, group) => {
      const working = await untilWorking(await send(eventsFor(group, 'works')));
      await kill(part);
      for (const run of working) letGo(stack, run);
    },
    ending: async (part, group) => {
      const working = await untilWorking(await send(eventsFor(group, 'works')));
      await database.whileHeld('result_deliveries', async (untilWaitedFor) => {
        for (const run of working) letGo(stack, run);
        await untilWaitedFor();
        await kill(part);
      });
    },
    commented: async (part, group) => {
      const events = eventsFor(group, 'quick');
      let asked = false;
      reviewed.onNewComment(
        events.map(({ number }) => number),
        async () => {
          await kill(part);
          asked = true;
        },
      );
      await send(events);
      await stack.until('a comment to arrive', PATIENCE_MS, () => Promise.resolve(asked ? true : undefined));
    },
  };

  it.each(KILLS)(
    'kill -9 of %s while what it asks for is %s: %s, round %d',
    async (part, moment, group) => {
      await injections[moment](part, group);
    },
    PATIENCE_MS * 2,
  );

  it(
    'CP-049 CP-278 every event has started one run, and every run has ended as it should',
    async () => {
      const dispatches = await stack.until('every event to have its outcome', SETTLED_WITHIN_MS, async () => {
        const now = await dispatchesOf(taken);
        return now.length >= taken.length ? now : undefined;
      });
      expect(dispatches.filter(({ status }) => status !== 'created')).toEqual([]);
      expect(dispatches.map((one) => one.delivery_id).toSorted()).toEqual(taken.map(({ id }) => id).toSorted());
      runs.push(...dispatches.map((one) => one.session_id!));
      const { sessions } = await started();
      expect(sessions.toSorted()).toEqual(runs.toSorted());
      for (const run of runs) {
        const { status, status_reason: reason } = await stack.untilTerminal(run, SETTLED_WITHIN_MS);
        expect({ run, status, reason }).toMatchObject({ status: 'completed' });
      }
    },
    SETTLED_WITHIN_MS * 2,
  );

  it(
    'CP-110 CP-296 CP-298 each result has arrived: one comment at a pull request, and a callback under one id',
    async () => {
      const numbersOfAll = [...new Set(taken.map(({ number }) => number))];
      for (const run of runs) await expectDelivered(run);
      expect(numbersOfAll.map((number) => [number, reviewed.commentsAt(number).length])).toEqual(
        numbersOfAll.map((number) => [number, 1]),
      );
      for (const { delivery_id: id, session_id: run } of await dispatchesOf(taken)) {
        const { number } = taken.find((event) => event.id === id)!;
        const ofAll = taken.filter((event) => event.number === number).length;
        if (ofAll === 1) expect(reviewed.commentsAt(number)[0]).toContain(`run ${run}`);
      }
      expect(receiver.received.filter(({ signed }) => !signed)).toEqual([]);
      expect(new Set(receiver.received.map(({ body }) => body.run.id))).toEqual(new Set(runs));
      expect(new Set(receiver.received.map(({ body }) => body.delivery_id)).size).toBe(runs.length);
    },
    SETTLED_WITHIN_MS * 2,
  );

  it('each kill met a process of its own', () => {
    expect([...killed].map(([part, pids]) => [part, pids.size])).toEqual(
      PARTS.map((part) => [part, KILLS.filter(([victim]) => victim === part).length]),
    );
  });

  it(
    'a second comment and a second callback would have been seen',
    async () => {
      const [event] = eventsFor('a pull request', 'quick');
      const { number } = event!;
      reviewed.onNewComment([number], () => Promise.resolve(reviewed.addComment(number)));
      const before = receiver.received.length;
      receiver.manner = () => (receiver.received.length === before + 1 ? 503 : 204);
      const [sent] = await send([event!]);
      const [dispatch] = await stack.until('its outcome', PATIENCE_MS, async () => {
        const found = await dispatchesOf([sent!]);
        return found.length > 0 ? found : undefined;
      });
      await stack.untilTerminal(dispatch!.session_id!);
      await expectDelivered(dispatch!.session_id!);
      expect(reviewed.commentsAt(number)).toHaveLength(2);
      const received = receiver.received.slice(before).map(({ body }) => body.run.id);
      expect(received).toEqual([dispatch!.session_id, dispatch!.session_id]);
    },
    SETTLED_WITHIN_MS,
  );

  /** All runs that events have started, dispatched or not. */
  async function started(): Promise<{ sessions: string[] }> {
    const rows = await database.query<{ id: string }>('select id from sessions where subscription_id is not null');
    return { sessions: rows.map(({ id }) => id) };
  }

  /** Callback and comment are delivered, each is said once behind the end of the run, which is as it ended. */
  async function expectDelivered(run: string): Promise<void> {
    const deliveries = await stack.until(`the results of ${run} to be settled`, SETTLED_WITHIN_MS, async () => {
      const path = `/v1/sessions/${run}/deliveries`;
      const { deliveries: now } = await stack.json<{ deliveries: Schemas['DeliveryView'][] }>('GET', path);
      return now.some(({ status }) => status === 'pending') ? undefined : now;
    });
    expect(deliveries.map(({ status, last_error: error }) => [status, error])).toEqual([
      ['delivered', null],
      ['delivered', null],
    ]);
    const events = await expectWholeLedger(stack, run);
    const said = eventsOf(events, 'callback.delivered').map((data) => data['delivery_id']);
    expect(said.toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted());
    expect(eventsOf(events, 'callback.failed')).toEqual([]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('callback.delivered')).toBeGreaterThan(types.indexOf('run.result'));
    const callback = deliveries.find(({ destination }) => destination['kind'] === 'signed_webhook');
    expect(receiver.of(callback!.id).map(({ body }) => body.run.status)).toContain('completed');
    expect((await stack.session(run)).status).toBe('completed');
  }
});
