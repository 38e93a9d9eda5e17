import { beforeAll, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Database } from '../../../src/core/record/database.js';
import { ScheduleEntity } from '../../../src/core/triggers/schedule.entity.js';
import { type SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import { newRowId } from '../../../src/platform/postgres/row-id.js';
import { insertRows } from '../../../src/platform/postgres/write-rows.js';
import { askUntilAnswered } from '../../../src/platform/temporal/lost-queries.js';
import { scheduledInvocationWorkflow } from '../../../src/workflows/messages.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { createSubscription } from '../../support/triggers/subscription-fixture.js';

const PATIENCE_MS = 120_000;
const ANSWERED_WITHIN_MS = 30_000;
const MINUTES_AGO = 10 * 60_000;
const NEW_YEAR = '0 0 1 1 *';

interface Slot {
  key: string;
  session_id: string | null;
  skip_reason: string | null;
  created_at: Date;
}

/** Schedules of an installation. They end with another store of Temporal. */
export function keepsSchedules(enter: EnterStack): void {
  let stack: LiveStack;
  let database: StackDatabase;
  let agent: { agentId: string; organizationId: string };

  beforeAll(async () => {
    stack = await enter();
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('clockwork', 'unrestricted');
    const { agents } = await stack.json<{ agents: { id: string; name: string; tenant_id: string }[] }>(
      'GET',
      '/v1/agents',
    );
    const found = agents.find(({ name }) => name === 'clockwork');
    if (found === undefined) throw new Error('the agent was created');
    agent = { agentId: found.id, organizationId: found.tenant_id };
  });

  /** As the API writes it; its call to Temporal is lost, so that the rows alone are there. */
  async function schedule(clock: Partial<ScheduleEntity>, members: Partial<SubscriptionEntity> = {}): Promise<string> {
    const url = `postgres://sandgate@/sandgate?host=${encodeURIComponent(join(stack.dataDir, 'pg'))}`;
    const db = await Database.connect({ url, poolSize: 2, applicationName: 'sandgate-test' });
    try {
      const task_template = '[{"say":"{{fire_time}}"}]';
      const { id } = await createSubscription(db, agent, { trigger_kind: 'schedule', task_template, ...members });
      await db.withTenant(agent.organizationId, (tx) =>
        insertRows(tx, ScheduleEntity, [
          {
            ...{ id: newRowId(), tenant_id: agent.organizationId, subscription_id: id, timezone: 'Europe/Berlin' },
            ...{ cron: NEW_YEAR, missed_run_policy: 'skip', next_fire_at: new Date(), ...clock },
          },
        ]),
      );
      return id;
    } finally {
      await db.close();
    }
  }

  const slots = (subscription: string): Promise<Slot[]> =>
    database.query<Slot>(
      `select idempotency_key as key, session_id, skip_reason, created_at from trigger_invocations
         where subscription_id = $1 order by created_at`,
      [subscription],
    );

  const untilSlots = (subscription: string, count: number): Promise<Slot[]> =>
    stack.until(`${count} slots of a schedule`, PATIENCE_MS, async () => {
      const seen = await slots(subscription);
      return seen.length >= count ? seen : undefined;
    });

  const wholeRounds = async (count: number): Promise<void> => {
    const [before] = await database.query<{ at: Date }>('select clock_timestamp() as at');
    for (let round = 0; round < count; round += 1) {
      const marker = await schedule({ next_fire_at: new Date((before?.at.getTime() ?? 0) - MINUTES_AGO) });
      await untilSlots(marker, 1);
    }
  };

  async function withTemporal<T>(ask: (client: Client) => Promise<T>): Promise<T | undefined> {
    const connection = Connection.lazy({ address: stack.installation.temporalAddress, connectTimeout: '2s' });
    const client = new Client({ connection });
    try {
      return await askUntilAnswered(client, ANSWERED_WITHIN_MS, () => ask(client));
    } catch {
      // Not there yet: the server is starting, or what is asked for has not been made.
      return undefined;
    } finally {
      await connection.close();
    }
  }

  const wokenTimes = (subscription: string): Promise<number | undefined> =>
    withTemporal(async ({ schedule: schedules }) => {
      const held = await schedules.getHandle(scheduledInvocationWorkflow.scheduleId(subscription)).describe();
      return held.info.numActionsTaken;
    });

  it('CP-106 proof 8: fires every few seconds in runs of its own, and goes on when Temporal has lost its store', async () => {
    const subscription = await schedule({ cron: '*/4 * * * * *' });
    const woken = await untilSlots(subscription, 4);
    expect(await wokenTimes(subscription)).toBeGreaterThan(0);
    // The first slot is as it was written; the others are counted.
    const seconds = woken.slice(1).map(({ key }) => Date.parse(key.replace('sched:', '')) / 1000);
    expect(seconds.map((second) => second % 4)).toEqual(seconds.map(() => 0));
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    expect(await stack.untilTerminal(woken[1]?.session_id ?? '')).toMatchObject({ status: 'completed' });

    stack.kill('temporal');
    for (const file of readdirSync(stack.dataDir))
      if (file.startsWith('temporal.db')) rmSync(join(stack.dataDir, file));
    const lost = (await slots(subscription)).length;
    await stack.until('Temporal to wake the schedule again', PATIENCE_MS, async () =>
      ((await wokenTimes(subscription)) ?? 0) > 2 ? true : undefined,
    );
    const after = await untilSlots(subscription, lost + 2);
    expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
    await database.query('update trigger_subscriptions set enabled = false where id = $1', [subscription]);
  }, 400_000);

  it('CP-164 proof 8: a gap of ten minutes is one note under skip and one run under catch_up, while the worker dies again and again', async () => {
    const slot = new Date(Math.floor((Date.now() - MINUTES_AGO) / 1000) * 1000);
    const key = `sched:${slot.toISOString().replace('.000Z', 'Z')}`;
    stack.kill('worker');
    const skipped = await schedule({ next_fire_at: slot });
    const caughtUp = await schedule({ next_fire_at: slot, missed_run_policy: 'catch_up' });
    await untilSlots(skipped, 1);
    await untilSlots(caughtUp, 1);
    stack.kill('worker');
    await wholeRounds(2);
    expect(await slots(skipped)).toMatchObject([{ key, session_id: null, skip_reason: 'missed' }]);
    expect(await slots(caughtUp)).toMatchObject([{ key, session_id: expect.any(String), skip_reason: null }]);
    for (const id of [skipped, caughtUp]) {
      const [row] = await database.query<{ next_fire_at: Date }>(
        'select next_fire_at from schedules where subscription_id = $1',
        [id],
      );
      expect(row?.next_fire_at.getTime()).toBeGreaterThan(Date.now());
    }
  }, 400_000);

  it('CP-163: a disabled trigger accrues nothing, and Temporal holds its schedule paused', async () => {
    const slot = new Date(Math.floor((Date.now() - MINUTES_AGO) / 1000) * 1000);
    const subscription = await schedule({ cron: '* * * * * *', next_fire_at: slot }, { enabled: false });
    const paused = await stack.until('the paused schedule', PATIENCE_MS, () =>
      withTemporal(async ({ schedule: schedules }) => {
        const held = await schedules.getHandle(scheduledInvocationWorkflow.scheduleId(subscription)).describe();
        return held.state.paused;
      }),
    );
    expect(paused).toBe(true);
    await wholeRounds(2);
    expect(await slots(subscription)).toEqual([]);
    const [row] = await database.query('select next_fire_at from schedules where subscription_id = $1', [subscription]);
    expect(row).toEqual({ next_fire_at: slot });
  }, 400_000);
}
