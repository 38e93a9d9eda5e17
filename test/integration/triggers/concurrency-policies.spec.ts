import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, TestApi } from '../../support/api/api.js';
import { TriggersBench } from '../../support/triggers/triggers-bench.js';
import { until } from '../../support/time/until.js';
import type { FixtureSubscription } from '../../support/triggers/subscription-fixture.js';

/** Starts that come at once. */
const STARTS = 20;

let bench: TriggersBench;
let api: TestApi;
beforeAll(async () => {
  bench = await TriggersBench.start({ SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '1000' });
  ({ api } = bench);
});
afterAll(() => api.close());

/** Every second one by the token, the others by hand. */
function start(of: FixtureSubscription, index: number): Promise<Answer> {
  return index % 2 === 0 ? bench.invoke(of, {}, `key-${index}`) : api.post(`/v1/triggers/${of.id}/run-now`);
}

function startAll(of: FixtureSubscription): Promise<Answer[]> {
  return Promise.all(Array.from({ length: STARTS }, (_, index) => start(of, index)));
}

interface Counted {
  runs: number;
  winding: number;
}

/** The runs of a subscription, and how many of them were asked to end. */
async function count({ id }: FixtureSubscription): Promise<Counted> {
  const { rows } = await api.database.owner.query<Counted>(
    `select count(*)::int as runs, count(f.session_id)::int as winding
       from sessions s left join session_finalizations f on f.session_id = s.id where s.subscription_id = $1`,
    [id],
  );
  return rows[0] as Counted;
}

/** No run's wish to end can be recorded while the work is done. */
async function whileNothingEnds<T>(work: () => Promise<T>): Promise<T> {
  const { owner } = api.database;
  await owner.query('alter table session_finalizations add constraint no_more check (false) not valid');
  try {
    return await work();
  } finally {
    await owner.query('alter table session_finalizations drop constraint no_more');
  }
}

/** Until so many transactions wait for a lock of a subscription. */
async function untilWaiting(starts: number): Promise<void> {
  const text = `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`;
  await until(
    async () => (await api.database.owner.query<{ n: number }>(text)).rows[0]?.n,
    (waiting) => waiting === starts,
  );
}

describe('starts of one subscription at once', () => {
  it('CP-178 CP-237 skip_if_running lets one through, and every loser has its row and its 409', async () => {
    const of = await bench.subscribe({ concurrency_policy: 'skip_if_running' });
    const answers = await startAll(of);
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    const lost = answers.filter((answer) => answer !== winner);
    expect(new Set(lost.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
      new Set([`409 run ${winner?.body.session.id} of this trigger is not over (skip_if_running)`]),
    );
    const history = await bench.history(of);
    expect(history).toHaveLength(STARTS);
    expect(history.filter(({ skip_reason }) => skip_reason === 'overlap')).toHaveLength(STARTS - 1);
    expect(history.filter(({ session_id }) => session_id !== null)).toHaveLength(1);
    expect(await count(of)).toEqual({ runs: 1, winding: 0 });
  });

  it('CP-178 a key that was skipped stays so, also when nothing runs any more', async () => {
    const of = await bench.subscribe({ concurrency_policy: 'skip_if_running' });
    const { session } = (await bench.invoke(of, {}, 'first')).body;
    expect((await bench.invoke(of, {}, 'second')).status).toBe(409);
    await api.database.owner.query(`update sessions set status = 'completed' where id = $1`, [session.id]);
    expect((await bench.invoke(of, {}, 'second')).status).toBe(409);
    expect((await bench.invoke(of, {}, 'third')).status).toBe(200);
    expect((await bench.invoke(of, {}, 'first')).body).toMatchObject({ replay: true, session: { id: session.id } });
  });

  it('CP-111 replace leaves one run that is not winding down, and loses none', async () => {
    const of = await bench.subscribe({ concurrency_policy: 'replace' });
    const answers = await startAll(of);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await count(of)).toEqual({ runs: STARTS, winding: STARTS - 1 });
    const { rows } = await api.database.owner.query<{ reason: string; outcome: string }>(
      `select distinct f.reason, f.outcome from session_finalizations f join sessions s on s.id = f.session_id
         where s.subscription_id = $1`,
      [of.id],
    );
    expect(rows).toEqual([{ reason: 'replaced by a newer invocation of this subscription', outcome: 'cancelled' }]);
  });

  it('allow lets runs stack up', async () => {
    const of = await bench.subscribe({ concurrency_policy: 'allow' });
    const answers = await startAll(of);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await count(of)).toEqual({ runs: STARTS, winding: 0 });
  });

  it('CP-111 CP-178 a policy that changes while starts wait for it holds for all of them, and none fails', async () => {
    const of = await bench.subscribe({ concurrency_policy: 'allow' });
    const holder = await api.database.owner.connect();
    let waiting: Promise<Answer[]>;
    try {
      await holder.query('begin');
      await holder.query('select svc_lock_subscription($1, true)', [of.id]);
      await holder.query(`update trigger_subscriptions set concurrency_policy = 'skip_if_running' where id = $1`, [
        of.id,
      ]);
      waiting = Promise.all(Array.from({ length: 6 }, (_, index) => start(of, index)));
      await untilWaiting(6);
    } finally {
      await holder.query('commit');
      holder.release();
    }
    const statuses = (await waiting).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('CP-111 replace that cannot be recorded is tried three times, then starts nothing, and frees the key', async () => {
    const of = await bench.subscribe({ concurrency_policy: 'replace' });
    await bench.invoke(of);
    const began = Date.now();
    const answers = await whileNothingEnds(() =>
      Promise.all([bench.invoke(of, {}, 'k'), api.post(`/v1/triggers/${of.id}/run-now`)]),
    );
    for (const { status, body } of answers)
      expect([status, body.error]).toEqual([503, expect.stringContaining('replace_cancel_unpersisted')]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(4000);
    expect(await count(of)).toEqual({ runs: 1, winding: 0 });
    expect((await bench.invoke(of, {}, 'k')).body.replay).toBe(false);
  });

  it.each([0, 1])('CP-111 replace that can be recorded the second time starts its run (start %i)', async (index) => {
    const of = await bench.subscribe({ concurrency_policy: 'replace' });
    await bench.invoke(of);
    const starting = await whileNothingEnds(async () => {
      const answer = start(of, index);
      await delay(500);
      return { answer };
    });
    expect((await starting.answer).status).toBe(200);
    expect(await count(of)).toEqual({ runs: 2, winding: 1 });
  });

  it('CP-238 a full queue refuses with 429 and leaves no row', async () => {
    const small = await TriggersBench.start({ SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '1' });
    try {
      const of = await small.subscribe();
      expect((await small.invoke(of, {}, 'a')).status).toBe(200);
      const full = await small.invoke(of, {}, 'b');
      expect([full.status, Number(full.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await small.history(of)).toHaveLength(1);
    } finally {
      await small.api.close();
    }
  });
});
