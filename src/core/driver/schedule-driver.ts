import type { Logger } from '../../platform/telemetry/logger.js';
import { isAway } from '../../platform/temporal/is-away.js';
import type { HeldSchedule, TriggerSchedules, WantedSchedule } from '../../platform/temporal/trigger-schedules.js';
import { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import type { Database } from '../record/database.js';
import type { ScheduleRef } from '../triggers/schedule-firings.js';
import { listSchedules, readSchedule, type ListedSchedule } from '../triggers/schedule-queries.js';

interface ScheduleDriverParts {
  database: Database;
  schedules: Pick<TriggerSchedules, 'put' | 'wake' | 'list'>;
  log: Pick<Logger, 'warn'>;
  /** This moment; tests have one of their own. */
  now: () => Date;
}

const PAGE = 500;

/** Keeps what wakes schedules in line with their rows, which alone say when they fire (docs/design/schedules.md). */
export class ScheduleDriver {
  constructor(private readonly on: ScheduleDriverParts) {}

  /**
   * To be called after the commit of whatever creates, changes, enables or disables a schedule. What is due is woken at once. Where
   * Temporal does not answer within seconds this fails quietly: the next reconciliation makes up for it.
   */
  async sync(ref: ScheduleRef): Promise<void> {
    await this.apply(ref).catch((cause: unknown) =>
      this.on.log.warn({ err: cause, ...ref }, 'the wake-up of a schedule is left to the reconciliation'),
    );
  }

  /**
   * Creates what is missing in Temporal, and changes what does not match its row. One that cannot be put right holds up no other.
   *
   * @returns how many were put right
   */
  async reconcile(): Promise<number> {
    const held = await this.on.schedules.list();
    let repaired = 0;
    let page: ListedSchedule[] = [];
    do {
      page = await listSchedules(this.on.database.pool, page.at(-1)?.subscriptionId ?? null, PAGE);
      for (const row of page) if (await this.repair(row, held)) repaired += 1;
    } while (page.length === PAGE);
    return repaired;
  }

  /** By the row as it is now: the list may be older than a change of the schedule. */
  private async repair(row: ListedSchedule, held: ReadonlyMap<string, HeldSchedule>): Promise<boolean> {
    const { organizationId, subscriptionId } = row;
    try {
      if (held.get(subscriptionId)?.holds(wantedOf(row)) === true) return false;
      await this.apply(row);
      return true;
    } catch (cause) {
      if (isAway(cause)) throw cause;
      this.on.log.warn({ err: cause, organizationId, subscriptionId }, 'a schedule cannot be woken; trying again');
      return false;
    }
  }

  private async apply({ organizationId, subscriptionId }: ScheduleRef): Promise<void> {
    const { database, schedules, now } = this.on;
    const row = await database.withTenant(organizationId, (tx) => readSchedule(tx, subscriptionId));
    if (row === null) return;
    await schedules.put(wantedOf(row));
    const isDue = row.nextFireAt !== null && row.nextFireAt <= now();
    if (row.enabled && isDue) await schedules.wake(subscriptionId);
  }
}

function wantedOf({ organizationId, subscriptionId, cron, timezone, enabled }: ListedSchedule): WantedSchedule {
  return { organizationId, subscriptionId, enabled, times: new FiringTimes(cron, timezone) };
}
