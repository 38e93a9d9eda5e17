import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import { SandgateError } from '../../../src/domain/errors.js';
import { ScheduleBench } from '../../support/triggers/schedule-bench.js';

const NOON = '2026-11-23T12:00:00Z';
const HOURLY = { cron: '0 * * * *' };

describe('a schedule that fires', () => {
  let bench: ScheduleBench;
  beforeAll(async () => {
    bench = await ScheduleBench.start(NOON, { SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '10000' });
  });
  afterAll(() => bench.close());

  const began = (at = '2026-11-23T12:30:00Z'): void => bench.at(at);

  it('CP-106 CP-116: makes a run of its own kind, frozen with its slot, and moves on by its zone', async () => {
    began();
    const task_template = '[{"say":"{{ fire_time }}"}]';
    const members = { task_template, name: 'nightly', callback_url: null };
    const ref = await bench.add({ cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', members });
    expect(await bench.process().fire(ref)).toEqual({ outcome: 'idle', waitMs: 19.5 * 3_600_000 });
    bench.at('2026-11-24T08:00:12.345Z');
    const fired = await bench.process().fire(ref);
    expect(fired).toEqual({ outcome: 'fired', runId: expect.any(String) });
    const [run] = await bench.runs(ref);
    expect(run).toMatchObject({
      task: '[{"say":"2026-11-24T08:00:00Z"}]',
      trigger: {
        kind: 'schedule',
        subscription_id: ref.subscriptionId,
        actor: 'schedule:nightly',
        attributes: {
          ...{ cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', fire_time: '2026-11-24T08:00:00Z', catch_up: false },
        },
        received_at: '2026-11-24T08:00:12.345Z',
      },
    });
    const { rows } = await bench.api.database.owner.query(
      'select invoked_by_kind, invoked_by_user_id from sessions where id = $1',
      [run?.id],
    );
    expect(rows).toEqual([{ invoked_by_kind: 'schedule', invoked_by_user_id: null }]);
    expect(await bench.slots(ref)).toEqual([
      { key: 'sched:2026-11-24T08:00:00Z', sessionId: run?.id, skipReason: null },
    ]);
    expect(await bench.schedule(ref)).toMatchObject({
      next_fire_at: new Date('2026-11-25T08:00:00Z'),
      last_fired_at: new Date('2026-11-24T08:00:00Z'),
    });
  });

  it('proof 8: a slot is done once, however many processes look at it at once', async () => {
    began();
    for (const concurrency_policy of ['allow', 'skip_if_running', 'replace'] as const) {
      const ref = await bench.add({ ...HOURLY, members: { concurrency_policy } });
      bench.at('2026-11-23T13:00:00Z');
      const looks = await Promise.all(Array.from({ length: 12 }, () => bench.process().fire(ref)));
      expect(looks.filter(({ outcome }) => outcome === 'fired')).toHaveLength(1);
      expect(await bench.slots(ref)).toHaveLength(1);
      expect((await bench.runs(ref)).length).toBe(1);
      expect((await bench.schedule(ref)).next_fire_at).toEqual(new Date('2026-11-23T14:00:00Z'));
      began();
    }
  });

  it('proof 8: fires late up to half a minute, and drops what a longer lag passed over', async () => {
    began();
    const ref = await bench.add({ cron: '*/10 * * * * *' });
    bench.at('2026-11-23T12:30:39.999Z');
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'fired' });
    expect(await bench.slots(ref)).toMatchObject([{ key: 'sched:2026-11-23T12:30:10Z', skipReason: null }]);
    expect((await bench.schedule(ref)).next_fire_at).toEqual(new Date('2026-11-23T12:30:40Z'));
  });

  it('CP-107 proof 8: under skip a gap leaves one note of its oldest slot and no run', async () => {
    began();
    const ref = await bench.add({ cron: '* * * * *' });
    bench.at('2026-11-23T12:41:00.500Z');
    expect(await bench.process().fire(ref)).toEqual({ outcome: 'skipped', reason: 'missed' });
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'idle', waitMs: 59_500 });
    expect(await bench.slots(ref)).toEqual([
      { key: 'sched:2026-11-23T12:31:00Z', sessionId: null, skipReason: 'missed' },
    ]);
    expect(await bench.runs(ref)).toEqual([]);
    expect(await bench.schedule(ref)).toMatchObject({
      next_fire_at: new Date('2026-11-23T12:42:00Z'),
      last_fired_at: null,
    });
  });

  it('proof 8: under catch_up a gap leads to one run, for its oldest slot', async () => {
    began();
    const ref = await bench.add({ cron: '* * * * *', missed: 'catch_up' });
    bench.at('2026-11-23T12:41:00.500Z');
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'fired' });
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'idle' });
    const runs = await bench.runs(ref);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.trigger).toMatchObject({ attributes: { fire_time: '2026-11-23T12:31:00Z', catch_up: true } });
    expect(await bench.slots(ref)).toMatchObject([{ key: 'sched:2026-11-23T12:31:00Z', sessionId: runs[0]?.id }]);
    expect((await bench.schedule(ref)).last_fired_at).toEqual(new Date('2026-11-23T12:31:00Z'));
  });

  it('CP-163: while it is disabled its clock stands still and nothing is recorded', async () => {
    began();
    const ref = await bench.add(HOURLY);
    await bench.change(ref, { enabled: false });
    bench.at('2026-11-24T12:00:00Z');
    expect(await bench.process().fire(ref)).toEqual({ outcome: 'idle', waitMs: null });
    expect(await bench.slots(ref)).toEqual([]);
    expect((await bench.schedule(ref)).next_fire_at).toEqual(new Date('2026-11-23T13:00:00Z'));
  });

  it('CP-164: enabled again with a slot from long ago: one note under skip, one run under catch_up', async () => {
    for (const [missed, runs] of [
      ['skip', 0],
      ['catch_up', 1],
    ] as const) {
      began();
      const ref = await bench.add({ ...HOURLY, missed });
      await bench.change(ref, { enabled: false });
      bench.at('2026-11-24T12:10:00Z');
      await bench.change(ref, { enabled: true });
      await bench.process().fire(ref);
      await bench.process().fire(ref);
      expect(await bench.slots(ref)).toHaveLength(1);
      expect(await bench.runs(ref)).toHaveLength(runs);
      expect((await bench.schedule(ref)).next_fire_at).toEqual(new Date('2026-11-24T13:00:00Z'));
    }
  });

  it('CP-164: enabled again before its slot nothing is recorded, and within half a minute of it the slot fires', async () => {
    began();
    const ref = await bench.add(HOURLY);
    await bench.change(ref, { enabled: false });
    bench.at('2026-11-23T12:50:00Z');
    await bench.change(ref, { enabled: true });
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'idle' });
    await bench.change(ref, { enabled: false });
    bench.at('2026-11-23T13:00:30Z');
    await bench.change(ref, { enabled: true });
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'fired' });
  });

  it('proof 8: skips while a run is not over, and takes its place under replace', async () => {
    began();
    const skipping = await bench.add({ ...HOURLY, members: { concurrency_policy: 'skip_if_running' } });
    const replacing = await bench.add({ ...HOURLY, members: { concurrency_policy: 'replace' } });
    bench.at('2026-11-23T13:00:00Z');
    for (const ref of [skipping, replacing]) await bench.process().fire(ref);
    bench.at('2026-11-23T14:00:00Z');
    expect(await bench.process().fire(skipping)).toEqual({ outcome: 'skipped', reason: 'overlap' });
    expect(await bench.slots(skipping)).toMatchObject([
      { skipReason: null },
      { key: 'sched:2026-11-23T14:00:00Z', sessionId: null, skipReason: 'overlap' },
    ]);
    expect(await bench.schedule(skipping)).toMatchObject({
      next_fire_at: new Date('2026-11-23T15:00:00Z'),
      last_fired_at: new Date('2026-11-23T13:00:00Z'),
    });
    expect(await bench.process().fire(replacing)).toMatchObject({ outcome: 'fired' });
    const { rows } = await bench.api.database.owner.query<{ ending: boolean }>(
      'select h.ending from sessions s join session_heads h on h.session_id = s.id where s.subscription_id = $1 order by s.id',
      [replacing.subscriptionId],
    );
    expect(rows.map(({ ending }) => ending)).toEqual([true, false]);
  });

  it('a firing that fails is noted with its reason, is not tried again, and leaves nothing else', async () => {
    began();
    const ref = await bench.add({ ...HOURLY, members: { task_template: '{{repository}}' } });
    bench.at('2026-11-23T13:00:00Z');
    const reason = expect.stringMatching(/^error: task_template: .*repository/);
    expect(await bench.process().fire(ref)).toEqual({ outcome: 'skipped', reason });
    expect(await bench.slots(ref)).toEqual([
      { key: 'sched:2026-11-23T13:00:00Z', sessionId: null, skipReason: reason },
    ]);
    expect(await bench.schedule(ref)).toMatchObject({
      next_fire_at: new Date('2026-11-23T14:00:00Z'),
      last_fired_at: null,
    });
  });

  it('a full queue is noted as such, and no run that is to be replaced is stopped for it', async () => {
    began();
    const ref = await bench.add({ ...HOURLY, members: { concurrency_policy: 'replace' } });
    bench.at('2026-11-23T13:00:00Z');
    await bench.process().fire(ref);
    bench.at('2026-11-23T14:00:00Z');
    const full = failing(new SandgateError('queue_full', 'the queue of the organization is full'));
    expect(await bench.process(bench.api.db, full.after).fire(ref)).toEqual({
      outcome: 'skipped',
      reason: 'error: run queue full',
    });
    expect((await bench.slots(ref))[1]).toMatchObject({ sessionId: null, skipReason: 'error: run queue full' });
    expect(await bench.runs(ref)).toHaveLength(1);
    const { rows } = await bench.api.database.owner.query(
      'select h.ending from session_heads h join sessions s on s.id = h.session_id where s.subscription_id = $1',
      [ref.subscriptionId],
    );
    expect(rows).toEqual([{ ending: false }]);
  });

  it('runs that cannot be asked to stop are asked three times, then the slot is given up and nothing is started', async () => {
    began();
    const ref = await bench.add({ ...HOURLY, members: { concurrency_policy: 'replace' } });
    bench.at('2026-11-23T13:00:00Z');
    const unpersisted = failing(
      new SandgateError('unavailable', 'replace_cancel_unpersisted: run x could not be asked'),
    );
    expect(await bench.process(bench.api.db, unpersisted.before).fire(ref)).toEqual({
      outcome: 'skipped',
      reason: 'replace_cancel_unpersisted',
    });
    expect(unpersisted.calls()).toBe(3);
    expect(await bench.slots(ref)).toMatchObject([{ sessionId: null, skipReason: 'replace_cancel_unpersisted' }]);
    expect(await bench.runs(ref)).toEqual([]);
  });

  it('proof 8: a process that dies between run and commit leaves the slot to the next one', async () => {
    began();
    const ref = await bench.add(HOURLY);
    bench.at('2026-11-23T13:00:01Z');
    const dying = failing(new Error('killed'));
    await expect(bench.process(bench.api.db, dying.after).fire(ref)).rejects.toThrow('killed');
    expect(await bench.slots(ref)).toEqual([]);
    expect(await bench.runs(ref)).toEqual([]);
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'fired' });
    expect(await bench.slots(ref)).toHaveLength(1);
  });

  it('CP-106: after its last firing it has no next one', async () => {
    began();
    const ref = await bench.add({ cron: '0 0 13 23 11 ? 2026' });
    bench.at('2026-11-23T13:00:00Z');
    expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'fired' });
    expect((await bench.schedule(ref)).next_fire_at).toBeNull();
    bench.at('2030-01-01T00:00:00Z');
    expect(await bench.process().fire(ref)).toEqual({ outcome: 'idle', waitMs: null });
  });

  it('a subscription without a clock, or of another organization, is left alone', async () => {
    began();
    const ref = await bench.add(HOURLY);
    bench.at('2026-11-23T13:00:00Z');
    const foreign = { ...ref, organizationId: '0199f0a0-0000-7000-8000-000000000000' };
    expect(await bench.process().fire(foreign)).toEqual({ outcome: 'idle', waitMs: null });
    expect(await bench.slots(ref)).toEqual([]);
  });
});

/** The real way to a run, with a failure before it or after it and before the commit. */
function failing(failure: Error): Record<'before' | 'after', (runs: SubscriptionRuns) => SubscriptionRuns> & {
  calls(): number;
} {
  let calls = 0;
  const wrap =
    (when: 'before' | 'after') =>
    (runs: SubscriptionRuns): SubscriptionRuns => {
      const start: SubscriptionRuns['start'] = async (tx, firing) => {
        calls += 1;
        if (when === 'after') await runs.start(tx, firing);
        throw failure;
      };
      return { start, attempt: (work) => runs.attempt(work) } as SubscriptionRuns;
    };
  return { before: wrap('before'), after: wrap('after'), calls: () => calls };
}
