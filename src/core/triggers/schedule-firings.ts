import { setTimeout as delay } from 'node:timers/promises';
import { SandgateError } from '../../domain/errors.js';
import { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import { destinationsOf } from '../../domain/triggers/destination.js';
import { dueFiring, fireTimeOf, slotKey, type DueFiring } from '../../domain/triggers/firing.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { renderTemplate } from '../../domain/triggers/template.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { changeRow, insertUnlessThere } from '../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { InvocationEntity } from './invocation.entity.js';
import { lockSubscription } from './lock-subscription.js';
import { ScheduleEntity } from './schedule.entity.js';
import { skipReasonOf, unattendedStarter, type SubscriptionRuns } from './subscription-runs.js';
import type { SubscriptionEntity } from './subscription.entity.js';

/** A schedule as its wake-ups know it. */
export interface ScheduleRef {
  organizationId: string;
  subscriptionId: string;
}

/**
 * What came of looking at a schedule. `idle`: it is not due for `waitMs`, or never again, or disabled (null). `repeated`: its slot had
 * been settled before.
 */
export type FiringResult =
  | { outcome: 'idle'; waitMs: number | null }
  | { outcome: 'fired'; runId: string }
  | { outcome: 'skipped'; reason: string }
  | { outcome: 'repeated' };

interface ScheduleFiringParts {
  database: Database;
  runs: SubscriptionRuns;
  /** This moment; tests have one of their own. */
  now: () => Date;
  /** Between two tries to stop the runs that are replaced. */
  replacePauseMs: number;
}

/** What is due of one schedule, behind the lock of its subscription. */
interface DueSlot {
  subscription: SubscriptionEntity;
  schedule: ScheduleEntity;
  slot: Date;
  due: Exclude<DueFiring, { action: 'wait' }>;
}

const REPLACE_TRIES = 3;

/** A run of a slot could not be created. Nothing of it is on the record. */
class FailedCreation extends Error {
  constructor(
    readonly slot: Date,
    override readonly cause: SandgateError,
  ) {
    super(cause.message, { cause });
  }
}

/**
 * Fires schedules. The row decides: whoever looks at it, however often and from however many processes, each slot is claimed once, and
 * claim, run and clock move in one transaction (docs/design/schedules.md).
 */
export class ScheduleFirings {
  constructor(private readonly on: ScheduleFiringParts) {}

  /** Does what is due at this moment, at most one slot. Errors are those of the database; the caller tries again. */
  async fire(ref: ScheduleRef): Promise<FiringResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.inDueSlot(ref, (tx, due) => this.settle(tx, due));
      } catch (failure) {
        if (!(failure instanceof FailedCreation)) throw failure;
        const reason = skipReasonOf(failure.cause);
        if (reason !== SKIP_REASONS.unpersisted || attempt === REPLACE_TRIES)
          return this.recordFailure(ref, failure, reason);
        await delay(this.on.replacePauseMs);
      }
    }
  }

  private inDueSlot(
    { organizationId, subscriptionId }: ScheduleRef,
    work: (tx: TenantTransaction, due: DueSlot) => Promise<FiringResult>,
  ): Promise<FiringResult> {
    return this.on.database.withTenant(organizationId, async (tx) => {
      const subscription = await lockSubscription(tx, subscriptionId);
      const schedule = await tx.manager.findOneBy(ScheduleEntity, { subscription_id: subscriptionId });
      if (subscription?.enabled !== true || schedule === null) return { outcome: 'idle', waitMs: null };
      const clock = { nextFireAt: schedule.next_fire_at, missedRunPolicy: schedule.missed_run_policy };
      const due = dueFiring(clock, this.on.now());
      if (due.action === 'wait') return { outcome: 'idle', waitMs: due.waitMs };
      return work(tx, { subscription, schedule, slot: due.slot, due });
    });
  }

  private async settle(tx: TenantTransaction, due: DueSlot): Promise<FiringResult> {
    if (due.due.action === 'skip') return this.skip(tx, due, SKIP_REASONS.missed);
    const runId = newRowId();
    const claim = await claimSlot(tx, due, { session_id: runId });
    if (claim === null) return this.advance(tx, due, { outcome: 'repeated' });
    const started = await this.start(tx, due, runId);
    if (started.outcome === 'created') return this.advance(tx, due, { outcome: 'fired', runId });
    const reason = SKIP_REASONS.overlap;
    await changeRow(tx, InvocationEntity, { id: claim.id }, { session_id: null, skip_reason: reason });
    return this.advance(tx, due, { outcome: 'skipped', reason });
  }

  private async start(
    tx: TenantTransaction,
    { subscription, schedule, slot, due }: DueSlot,
    runId: string,
  ): ReturnType<SubscriptionRuns['start']> {
    const fire_time = fireTimeOf(slot);
    const { cron, timezone } = schedule;
    try {
      return await this.on.runs.start(tx, {
        ...{ subscription, runId, trustTier: 'trusted' },
        starter: unattendedStarter('schedule', subscription.id, tx.organizationId),
        task: renderTemplate(subscription.task_template ?? '', { fire_time }),
        destinations: destinationsOf(subscription, null),
        invocation: {
          kind: 'schedule',
          subscription_id: subscription.id,
          actor: `schedule:${subscription.name}`,
          attributes: { cron, timezone, fire_time, catch_up: due.action === 'run' && due.catchUp },
          received_at: this.on.now().toISOString(),
        },
      });
    } catch (cause) {
      if (cause instanceof SandgateError) throw new FailedCreation(slot, cause);
      throw cause;
    }
  }

  /** The transaction of the failure is gone, and with it all that it did. If the slot was settled by another since, that stands. */
  private recordFailure(ref: ScheduleRef, { slot }: FailedCreation, reason: string): Promise<FiringResult> {
    return this.inDueSlot(ref, async (tx, due) =>
      due.slot.getTime() === slot.getTime() ? this.skip(tx, due, reason) : { outcome: 'repeated' },
    );
  }

  private async skip(tx: TenantTransaction, due: DueSlot, reason: string): Promise<FiringResult> {
    const claim = await claimSlot(tx, due, { skip_reason: reason });
    return this.advance(tx, due, claim === null ? { outcome: 'repeated' } : { outcome: 'skipped', reason });
  }

  /** Whoever is second to move the clock on leaves it alone. */
  private async advance(
    tx: TenantTransaction,
    { schedule, slot }: DueSlot,
    result: FiringResult,
  ): Promise<FiringResult> {
    const next = new FiringTimes(schedule.cron, schedule.timezone).next(this.on.now());
    const fired = result.outcome === 'fired' ? { last_fired_at: slot } : {};
    const unmoved = { id: schedule.id, next_fire_at: slot };
    await changeRow(tx, ScheduleEntity, unmoved, { next_fire_at: next, ...fired });
    return result;
  }
}

/** Null when the slot was claimed before; whoever claims it at the same time is waited for. */
function claimSlot(
  tx: TenantTransaction,
  { subscription, slot }: DueSlot,
  outcome: Pick<Partial<InvocationEntity>, 'session_id' | 'skip_reason'>,
): Promise<InvocationEntity | null> {
  return insertUnlessThere(tx, InvocationEntity, {
    id: newRowId(),
    tenant_id: tx.organizationId,
    subscription_id: subscription.id,
    idempotency_key: slotKey(slot),
    ...outcome,
  });
}
