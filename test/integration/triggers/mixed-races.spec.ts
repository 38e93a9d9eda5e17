import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { mintTriggerToken } from '../../../src/core/triggers/trigger-tokens.js';
import { SandgateError } from '../../../src/domain/errors.js';
import type { ConcurrencyPolicy } from '../../../src/domain/triggers/subscription.js';
import type { TestApi } from '../../support/api/api.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';
import { ScheduleBench } from '../../support/triggers/schedule-bench.js';
import { IngressBench } from '../../support/webhooks/ingress-bench.js';
import { githubPullRequest } from '../../support/webhooks/payloads.js';

/** Starts that come at once, of all kinds that the subscription has; in the nightly campaign two hundred. */
const STARTS = IS_NIGHTLY ? 200 : 60;

type Start = (index: number) => Promise<'started' | 'skipped'>;

/** By the token of the subscription. */
async function byToken(api: TestApi, id: string): Promise<Start> {
  const token = await api.db.withTenant(api.organizationId, (tx) => mintTriggerToken(tx, id));
  return async (index) => {
    const headers = { 'idempotency-key': `key-${index}` };
    return insist(() => api.inject('POST', `/v1/triggers/${id}/invoke`, { body: {}, token, headers }));
  };
}

function byHand(api: TestApi, id: string): Start {
  return () => insist(() => api.inject('POST', `/v1/triggers/${id}/run-now`));
}

async function insist(ask: () => Promise<{ status: number; text: string }>): Promise<'started' | 'skipped'> {
  const { status, text } = await untilAvailable(() => refusing503(ask()));
  if (status === 200) return 'started';
  if (status === 409) return 'skipped';
  throw new Error(`answered ${status} ${text}`);
}

async function refusing503<T extends { status: number; text: string }>(asked: Promise<T>): Promise<T> {
  const answer = await asked;
  if (answer.status === 503) throw new SandgateError('unavailable', answer.text);
  return answer;
}

/**
 * Does it again, as clients, senders of webhooks and Temporal do, where so many at once found no connection to the database in time: then
 * nothing has been changed.
 */
async function untilAvailable<T>(step: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await delay(200)) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof SandgateError) || error.code !== 'unavailable' || Date.now() > deadline) throw error;
    }
  }
}

/** An event whose run could not be started waits for a time of its own; here it is tried again like everything else. */
async function handleNow(bench: IngressBench, deliveryId: string): Promise<void> {
  const waitMs = await bench.handle(deliveryId);
  if (waitMs !== null) throw new SandgateError('unavailable', `the event would wait for ${waitMs} ms`);
}

interface Counted {
  runs: number;
  winding: number;
  rows: number;
  overlaps: number;
}

/** Runs, those of them that were asked to end, and the rows of invocations and dispatches. */
async function count(api: TestApi, id: string): Promise<Counted> {
  const { rows } = await api.database.owner.query<Counted>(
    `select (select count(*) from sessions where subscription_id = $1)::int as runs,
            (select count(*) from sessions s join session_finalizations f on f.session_id = s.id
              where s.subscription_id = $1)::int as winding,
            count(*)::int as rows, count(*) filter (where skip_reason = 'overlap')::int as overlaps
       from (select skip_reason from trigger_invocations where subscription_id = $1
             union all select skip_reason from trigger_dispatches where subscription_id = $1) history`,
    [id],
  );
  return rows[0] as Counted;
}

async function race(starts: Start[]): Promise<{ started: number; skipped: number }> {
  const outcomes = await Promise.all(
    Array.from({ length: STARTS }, (_, index) => (starts[index % starts.length] as Start)(index)),
  );
  const started = outcomes.filter((outcome) => outcome === 'started').length;
  return { started, skipped: STARTS - started };
}

/** What must be there after a race, whatever started the runs. */
function promised(policy: ConcurrencyPolicy): Counted {
  const whole = { rows: STARTS, overlaps: 0 };
  if (policy === 'allow') return { ...whole, runs: STARTS, winding: 0 };
  if (policy === 'replace') return { ...whole, runs: STARTS, winding: STARTS - 1 };
  return { rows: STARTS, overlaps: STARTS - 1, runs: 1, winding: 0 };
}

describe.each<ConcurrencyPolicy>(['skip_if_running', 'replace', 'allow'])(`${STARTS} starts under %s`, (policy) => {
  describe('by clock, token and hand', () => {
    let bench: ScheduleBench;
    beforeAll(async () => {
      bench = await ScheduleBench.start('2026-01-01T00:00:00Z', { SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '1000' });
    });
    afterAll(() => bench.close());

    it('CP-111 CP-178 keep the policy, and every start has its row', async () => {
      const schedule = await bench.add({
        cron: '* * * * * *',
        members: { concurrency_policy: policy, task_template: '[]' },
      });
      const [api, id] = [bench.api, schedule.subscriptionId];
      // Each look is a second later than the one before, so that each finds its own slot due.
      const byClock: Start = async () => {
        const { next_fire_at: next } = await untilAvailable(() => bench.schedule(schedule));
        bench.at(Math.max(bench.now.getTime(), (next?.getTime() ?? 0) + 1));
        for (;;) {
          const result = await untilAvailable(() => bench.process().fire(schedule));
          if (result.outcome === 'fired') return 'started';
          if (result.outcome === 'skipped') return 'skipped';
          bench.at(bench.now.getTime() + 1000);
        }
      };
      const { started } = await race([byClock, await byToken(api, id), byHand(api, id)]);
      expect(await count(api, id)).toEqual(promised(policy));
      expect(started).toBe(promised(policy).runs);
    });
  });

  describe('by event and token', () => {
    let bench: IngressBench;
    beforeAll(async () => {
      bench = await IngressBench.start();
      bench.hasSocket = false;
    });
    afterAll(() => bench.close());

    it('CP-111 CP-178 keep the policy, and every start has its row', async () => {
      const id = await bench.subscribe({ concurrency_policy: policy, task_template: '[]' });
      const byEvent: Start = async () => {
        const payload = githubPullRequest({ title: uuidv7() });
        const { body } = await untilAvailable(() => refusing503(bench.send(payload)));
        const { delivery_id: delivery } = body as unknown as { delivery_id: string };
        await untilAvailable(() => handleNow(bench, delivery));
        const [dispatch] = await untilAvailable(() => bench.dispatches(delivery));
        return dispatch?.status === 'created' ? 'started' : 'skipped';
      };
      const { started } = await race([byEvent, await byToken(bench.api, id)]);
      expect(await count(bench.api, id)).toEqual(promised(policy));
      expect(started).toBe(promised(policy).runs);
    });
  });
});
