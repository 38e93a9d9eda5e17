import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client, Connection, ScheduleNotFoundError, type ScheduleDescription } from '@temporalio/client';
import { msNumberToTs as tsToProto } from '@temporalio/common/lib/time.js';
import { ScheduleDriver } from '../../../src/core/driver/schedule-driver.js';
import { ScheduleEntity } from '../../../src/core/triggers/schedule.entity.js';
import type { ScheduleRef } from '../../../src/core/triggers/schedule-firings.js';
import { FiringTimes } from '../../../src/domain/triggers/cron/firing-times.js';
import { isAway } from '../../../src/platform/temporal/is-away.js';
import { askUntilAnswered } from '../../../src/platform/temporal/lost-queries.js';
import { TriggerSchedules } from '../../../src/platform/temporal/trigger-schedules.js';
import { newRowId } from '../../../src/platform/postgres/row-id.js';
import { scheduledInvocationWorkflow } from '../../../src/workflows/messages.js';
import { changesOf } from '../../support/triggers/wall-clock.js';
import { until } from '../../support/time/until.js';
import { ScheduleBench } from '../../support/triggers/schedule-bench.js';

const NOON = '2026-11-23T12:00:00Z';
const ORGANIZATION = newRowId();
const UNSERVED = `unserved-${newRowId()}`;
const DAY = 86_400;
/** Several times as long as a busy server takes. */
const ANSWERED_WITHIN_MS = 60_000;

describe('what wakes schedules', () => {
  let bench: ScheduleBench;
  let client: Client;
  let schedules: TriggerSchedules;
  let warnings: unknown[];
  beforeAll(async () => {
    const address = process.env['TEST_TEMPORAL_ADDRESS'] ?? '';
    client = new Client({ connection: await Connection.connect({ address }) });
    schedules = new TriggerSchedules(client, { ...scheduledInvocationWorkflow, taskQueue: 'nobody-serves-this' });
    await client.workflow.start('unserved', { workflowId: UNSERVED, taskQueue: 'nobody-serves-this' });
    bench = await ScheduleBench.start(NOON);
  });
  beforeEach(() => {
    warnings = [];
    bench.at(NOON);
  });
  afterAll(async () => {
    for await (const { scheduleId } of client.schedule.list())
      if (scheduleId.startsWith('trigger-')) await handleOf(scheduleId.slice('trigger-'.length)).delete();
    await client.workflow.getHandle(UNSERVED).terminate();
    await client.connection.close();
    await bench.close();
  });

  function driver(more: Partial<ConstructorParameters<typeof ScheduleDriver>[0]> = {}): ScheduleDriver {
    const log = { warn: (fields: unknown) => void warnings.push(fields) };
    return new ScheduleDriver({ database: bench.api.db, schedules, now: () => bench.now, log, ...more });
  }

  const handleOf = (id: string): ReturnType<Client['schedule']['getHandle']> =>
    client.schedule.getHandle(scheduledInvocationWorkflow.scheduleId(id));

  const heldOf = (id: string): Promise<ScheduleDescription> =>
    askUntilAnswered(client, ANSWERED_WITHIN_MS, () => handleOf(id).describe());

  /** The list follows a change a moment later. */
  async function listed(ref: ScheduleRef, cron: string, enabled: boolean): Promise<void> {
    const wanted = { ...ref, enabled, times: new FiringTimes(cron, 'UTC') };
    await comesTrue(async () => (await schedules.list()).get(ref.subscriptionId)?.holds(wanted) === true);
  }

  const isSettled = (): Promise<void> => comesTrue(async () => (await driver().reconcile()) === 0);

  it('CP-106: is a Temporal Schedule without jitter that lets everything overlap and gives up after a minute', async () => {
    const ref = await bench.add({ cron: '15 9 * * mon', timezone: 'europe/berlin' });
    await driver().sync(ref);
    const held = await heldOf(ref.subscriptionId);
    expect(held.memo).toEqual({ organization: ref.organizationId });
    expect(held.policies).toEqual({ overlap: 'ALLOW_ALL', catchupWindow: 60_000, pauseOnFailure: false });
    expect(held.state).toMatchObject({ paused: false, note: 'the trigger is enabled' });
    expect(held.action).toMatchObject({ workflowType: 'scheduledInvocation', args: [ref] });
    expect(held.spec).toMatchObject({ timezone: 'UTC', intervals: [] });
    expect(held.spec.calendars?.[0]).toMatchObject({ hour: [{ start: 7, end: 8 }], dayOfWeek: [{ start: 'MONDAY' }] });
    expect(warnings).toEqual([]);
  });

  it('CP-163 CP-164: follows its trigger when that is disabled, enabled and edited, and is never deleted', async () => {
    const ref = await bench.add({ cron: '0 9 * * *' });
    await driver().sync(ref);
    await bench.change(ref, { enabled: false });
    await driver().sync(ref);
    expect((await heldOf(ref.subscriptionId)).state).toMatchObject({
      paused: true,
      note: 'the trigger is disabled',
    });
    await bench.change(ref, { enabled: true });
    await bench.api.db.withTenant(ref.organizationId, (tx) =>
      tx.manager.update(ScheduleEntity, { subscription_id: ref.subscriptionId }, { cron: '30 10 * * *' }),
    );
    await driver().sync(ref);
    const held = await heldOf(ref.subscriptionId);
    expect(held.state.paused).toBe(false);
    expect(held.spec.calendars?.[0]).toMatchObject({ hour: [{ start: 10 }], minute: [{ start: 30 }] });
  });

  it('CP-164: is woken at once where its slot has passed, and only then', async () => {
    const past = await bench.add({ cron: '0 0 13 23 11 ? 2026' });
    const future = await bench.add({ cron: '0 0 13 23 11 ? 2026' });
    bench.at('2026-11-23T14:00:00Z');
    await driver().sync(past);
    bench.at(NOON);
    await driver().sync(future);
    const actions = async ({ subscriptionId }: ScheduleRef): Promise<number> =>
      (await heldOf(subscriptionId)).info.numActionsTaken;
    await comesTrue(async () => (await actions(past)) === 1);
    expect(await actions(future)).toBe(0);
  });

  it('proof 8: what is missing, altered or wrongly paused comes back from the rows, and the rest is left alone', async () => {
    const [missing, altered, paused, running, whole] = await Promise.all(
      Array.from({ length: 5 }, () => bench.add({ cron: '0 9 * * *' })),
    );
    if (!missing || !altered || !paused || !running || !whole) throw new Error('five were made');
    await isSettled();
    await handleOf(missing.subscriptionId).delete();
    await handleOf(altered.subscriptionId).update(({ policies: _, ...held }) => ({
      ...held,
      spec: { calendars: [{ hour: 3 }] },
    }));
    await handleOf(paused.subscriptionId).pause();
    await bench.change(running, { enabled: false });
    await listedOtherwise(missing, altered, paused);
    const repaired = await driver().reconcile();
    expect(warnings).toEqual([]);
    expect(repaired).toBe(4);
    await listed(missing, '0 9 * * *', true);
    await listed(altered, '0 9 * * *', true);
    await listed(paused, '0 9 * * *', true);
    await listed(running, '0 9 * * *', false);
    await listed(whole, '0 9 * * *', true);
    await isSettled();
  });

  async function listedOtherwise(...refs: ScheduleRef[]): Promise<void> {
    const times = new FiringTimes('0 9 * * *', 'UTC');
    await comesTrue(async () => {
      const held = await schedules.list();
      return refs.every((ref) => held.get(ref.subscriptionId)?.holds({ ...ref, enabled: true, times }) !== true);
    });
  }

  it('a request does not fail because Temporal is away, and one schedule that cannot be woken holds up no other', async () => {
    const refs = [await bench.add({ cron: '0 9 * * *' }), await bench.add({ cron: '0 9 * * *' })];
    const refused = new Set([refs[0]?.subscriptionId]);
    const failing = {
      put: (wanted: Parameters<TriggerSchedules['put']>[0]) =>
        refused.has(wanted.subscriptionId) ? Promise.reject(new Error('refused')) : schedules.put(wanted),
      wake: (id: string) => schedules.wake(id),
      list: () => schedules.list(),
    };
    await driver({ schedules: failing }).sync(refs[0] as ScheduleRef);
    expect(warnings).toHaveLength(1);
    await driver({ schedules: failing }).reconcile();
    expect(warnings).toHaveLength(2);
    await listed(refs[1] as ScheduleRef, '0 9 * * *', true);
  });

  it('CP-116 a request waits a few seconds for a Temporal that does not answer, and no longer', async () => {
    const ref = await bench.add({ cron: '0 9 * * *' });
    const connection = Connection.lazy({ address: '127.0.0.1:1' });
    const away = new TriggerSchedules(new Client({ connection }), scheduledInvocationWorkflow);
    const before = performance.now();
    await driver({ schedules: away }).sync(ref);
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(warnings).toHaveLength(1);
    await connection.close();
  });

  it('CP-163 a query that Temporal loses is asked again, so the schedule follows its trigger at once', async () => {
    const ref = await bench.add({ cron: '0 9 * * *' });
    await driver().sync(ref);
    await bench.change(ref, { enabled: false });
    const { workflowService } = client.connection;
    const lost = jest.spyOn(workflowService, 'describeSchedule').mockImplementationOnce(neverAnswered);
    await driver().sync(ref);
    expect(warnings).toEqual([]);
    expect(lost).toHaveBeenCalledTimes(2);
    lost.mockRestore();
    expect((await heldOf(ref.subscriptionId)).state.paused).toBe(true);
  });

  it('a query is asked no longer than the caller waits, and one that is refused is not asked again', async () => {
    const ask = jest.fn(neverAnswered);
    expect(await askUntilAnswered(client, 2500, ask).catch(isAway)).toBe(true);
    expect(ask).toHaveBeenCalledTimes(2);
    const refused = jest.fn(() => heldOf('unknown'));
    await expect(askUntilAnswered(client, 2500, refused)).rejects.toThrow(ScheduleNotFoundError);
    expect(refused).toHaveBeenCalledTimes(1);
  });

  /** No worker serves the workflow that is queried, so the call waits as one does whose query is lost. */
  async function neverAnswered(): Promise<never> {
    await client.workflow.getHandle(UNSERVED).query('anything');
    throw new Error('somebody serves the queue of the workflow');
  }

  /** Changes by an hour, by half of one and by two, at midnight and in Ramadan, and none; days and months that begin earlier in UTC or later. */
  it.each([
    ['America/New_York', '*/30 0-3 * * *'],
    ['America/New_York', '30 * * * *'],
    ['America/New_York', '0 22 31 * *'],
    ['Europe/Berlin', '15 2 * * *'],
    ['Europe/Berlin', '30 0 1 jan,Nov,apr *'],
    ['Australia/Lord_Howe', '*/15 1,2 * * *'],
    ['Australia/Lord_Howe', '20 * * * *'],
    ['America/Havana', '10 0,1 * * *'],
    ['America/Santiago', '0 0,23 * * sat,sun'],
    ['Africa/Casablanca', '5 2,3 * * *'],
    ['Asia/Beirut', '45 * * * *'],
    ['Antarctica/Troll', '0 1-3 * * *'],
    ['Asia/Kolkata', '0 2,9 ? * MON-fri'],
    ['UTC', '0 30 6 29 2 ? 2028-2100/4'],
  ])(
    'proof 8: in %s Temporal wakes "%s" whenever it fires, around the changes of two years',
    async (timezone, cron) => {
      const times = new FiringTimes(cron, timezone);
      const subscriptionId = newRowId();
      await schedules.put({ organizationId: ORGANIZATION, subscriptionId, times, enabled: false });
      const changes = changesOf(
        timezone,
        Date.parse('2026-12-01T00:00:00Z') / 1000,
        Date.parse('2028-12-01T00:00:00Z') / 1000,
      );
      const newYear = Date.parse('2028-01-01T00:00:00Z') / 1000;
      let fired = 0;
      for (const middle of [...changes, newYear, newYear + 60 * DAY]) {
        const [start, end] = [middle - 2 * DAY, middle + 2 * DAY];
        const woken = new Set(await matching(subscriptionId, start, end));
        for (
          let at = times.next(new Date(start * 1000));
          at !== null && at.getTime() < end * 1000;
          at = times.next(at)
        ) {
          fired += 1;
          if (!woken.has(at.getTime()))
            throw new Error(`not woken at ${at.toISOString()}, but ${woken.size} times else`);
        }
      }
      expect(fired).toBeGreaterThan(0);
    },
  );

  /** In seconds since 1970; the answer in milliseconds. */
  async function matching(subscriptionId: string, from: number, to: number): Promise<number[]> {
    const asked = {
      namespace: 'default',
      scheduleId: scheduledInvocationWorkflow.scheduleId(subscriptionId),
      startTime: tsToProto(from * 1000),
      endTime: tsToProto(to * 1000),
    };
    const { startTime } = (await askUntilAnswered(client, ANSWERED_WITHIN_MS, () =>
      client.workflowService.listScheduleMatchingTimes(asked),
    )) as { startTime: { seconds: unknown }[] };
    return startTime.map(({ seconds }) => Number(seconds) * 1000);
  }
});

async function comesTrue(read: () => Promise<boolean>): Promise<void> {
  expect(await until(read, (holds) => holds)).toBe(true);
}
