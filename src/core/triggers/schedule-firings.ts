import { SandgateError } from '../../domain/errors.js';
import { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import { dueFiring, fireTimeOf, slotKey, type DueFiring } from '../../domain/triggers/firing.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { renderTemplate } from '../../domain/triggers/template.js';
import { changeRow } from '../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { recordInvocation, startClaimed, type InvocationClaim } from './claimed-start.js';
import { lockSubscription } from './lock-subscription.js';
import { ScheduleEntity } from './schedule.entity.js';
import {
  plainFiring,
  skipReasonOf,
  unattendedStarter,
  type Firing,
  type SubscriptionRuns,
} from './subscription-runs.js';
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
}

/** What is due of one schedule, behind the lock of its subscription. */
interface DueSlot {
  subscription: SubscriptionEntity;
  schedule: ScheduleEntity;
  slot: Date;
  due: Exclude<DueFiring, { action: 'wait' }>;
}

/** A run of a slot could not be created. Nothing of it is on the record. */
class FailedCreation extends SandgateError {
  constructor(
    readonly slot: Date,
    cause: SandgateError,
  ) {
    super(cause.code, cause.message, { cause });
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
    try {
      return await this.on.runs.attempt(() => this.inDueSlot(ref, (tx, due) => this.settle(tx, due)));
    } catch (failure) {
      if (failure instanceof FailedCreation) return this.recordFailure(ref, failure);
      throw failure;
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
    return due.due.action === 'skip'
      ? this.skip(tx, due, SKIP_REASONS.missed)
      : this.advance(tx, due, await this.start(tx, due));
  }

  private async start(tx: TenantTransaction, due: DueSlot): Promise<FiringResult> {
    try {
      const firing = this.firingOf(due);
      const { outcome } = await startClaimed(tx, this.on.runs, firing, claimOf(due));
      if (outcome === 'created') return { outcome: 'fired', runId: firing.runId };
      return outcome === 'overlap' ? { outcome: 'skipped', reason: SKIP_REASONS.overlap } : { outcome };
    } catch (cause) {
      if (cause instanceof SandgateError) throw new FailedCreation(due.slot, cause);
      throw cause;
    }
  }

  private firingOf({ subscription, schedule, slot, due }: DueSlot): Firing {
    const fire_time = fireTimeOf(slot);
    const { cron, timezone } = schedule;
    return plainFiring(subscription, {
      at: this.on.now(),
      starter: unattendedStarter('schedule', subscription.id, subscription.tenant_id),
      invocation: {
        kind: 'schedule',
        actor: `schedule:${subscription.name}`,
        attributes: { cron, timezone, fire_time, catch_up: due.action === 'run' && due.catchUp },
      },
      task: renderTemplate(subscription.task_template ?? '', { fire_time }),
    });
  }

  /** The transaction of the failure is gone, and with it all that it did. If the slot was settled by another since, that stands. */
  private recordFailure(ref: ScheduleRef, failure: FailedCreation): Promise<FiringResult> {
    return this.inDueSlot(ref, async (tx, due) =>
      due.slot.getTime() === failure.slot.getTime()
        ? this.skip(tx, due, skipReasonOf(failure))
        : { outcome: 'repeated' },
    );
  }

  private async skip(tx: TenantTransaction, due: DueSlot, reason: string): Promise<FiringResult> {
    const row = await recordInvocation(tx, due.subscription.id, claimOf(due), { skip_reason: reason });
    return this.advance(tx, due, row === null ? { outcome: 'repeated' } : { outcome: 'skipped', reason });
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

/** A slot is settled once, whatever comes of it. */
function claimOf({ slot }: DueSlot): InvocationClaim {
  return { key: slotKey(slot), digest: null };
}
