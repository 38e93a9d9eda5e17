import { SandgateError } from '../../domain/errors.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { CLOCK, insertRows } from '../../platform/postgres/write-rows.js';
import { SessionEntity } from '../runs/session.entity.js';
import type { TenantTransaction } from '../record/database.js';
import type { MintedCallbackSecret } from './callback-secrets.js';
import { InvocationEntity } from './invocation.entity.js';
import { ScheduleEntity } from './schedule.entity.js';
import type { CheckedSubscription } from './subscription-check.js';
import { SubscriptionEntity } from './subscription.entity.js';

const UNIQUE_NAME = 'trigger_subscriptions_name';
const NO_SECRET = { callback_secret_sealed: null };

/** Row and clock of a new subscription, enabled. @throws SandgateError `conflict` for a name that another one has */
export async function insertSubscription(
  tx: TenantTransaction,
  id: string,
  { columns, clock }: CheckedSubscription,
  { callback, now }: { callback: MintedCallbackSecret | null; now: Date },
): Promise<void> {
  await withUniqueName(columns.name, () =>
    insertRows(tx, SubscriptionEntity, [
      { id, tenant_id: tx.organizationId, ...columns, ...(callback?.columns ?? NO_SECRET) },
    ]),
  );
  if (clock === null) return;
  await insertRows(tx, ScheduleEntity, [
    {
      id: newRowId(),
      tenant_id: tx.organizationId,
      subscription_id: id,
      cron: clock.cron,
      timezone: clock.timezone,
      missed_run_policy: clock.missedRunPolicy,
      next_fire_at: clock.times.next(now),
    },
  ]);
}

/** What becomes of the callback: nothing, another secret, or none any more. */
export type CallbackChange = 'kept' | 'removed' | MintedCallbackSecret;

/**
 * Writes what a change comes to. The caller holds the subscription's lock, behind which it is still what the change was made from.
 *
 * @throws SandgateError `conflict` for a name that another one has
 */
export async function changeSubscription(
  tx: TenantTransaction,
  subscription: SubscriptionEntity,
  { columns, clock }: CheckedSubscription,
  { callback, now }: { callback: CallbackChange; now: Date },
): Promise<void> {
  const authority =
    callback === 'kept'
      ? {}
      : {
          authority_generation: subscription.authority_generation + 1,
          ...(callback === 'removed' ? NO_SECRET : callback.columns),
        };
  await withUniqueName(columns.name, () =>
    tx.manager.update(SubscriptionEntity, { id: subscription.id }, { ...columns, ...authority, updated_at: CLOCK }),
  );
  if (clock !== null) await changeSchedule(tx, subscription.id, clock, now);
}

/** Another time recomputes the next firing; what is done about missed ones alone does not. */
async function changeSchedule(
  tx: TenantTransaction,
  subscriptionId: string,
  { cron, timezone, missedRunPolicy, times }: NonNullable<CheckedSubscription['clock']>,
  now: Date,
): Promise<void> {
  const of = { subscription_id: subscriptionId };
  const stored = await tx.manager.findOneByOrFail(ScheduleEntity, of);
  const isMoved = stored.cron !== cron || stored.timezone !== timezone;
  if (!isMoved && stored.missed_run_policy === missedRunPolicy) return;
  await tx.manager.update(ScheduleEntity, of, {
    ...{ cron, timezone, missed_run_policy: missedRunPolicy, updated_at: CLOCK },
    ...(isMoved ? { next_fire_at: times.next(now) } : {}),
  });
}

async function withUniqueName(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (!isUniqueViolation(cause, UNIQUE_NAME)) throw cause;
    throw new SandgateError('conflict', `name: a trigger named ${name} exists`, { cause });
  }
}

/** Newest first. */
export function listSubscriptions(tx: TenantTransaction, limit: number): Promise<SubscriptionEntity[]> {
  return tx.manager.find(SubscriptionEntity, { order: { created_at: 'DESC', id: 'DESC' }, take: limit });
}

/** Runs of a subscription, whatever started them, newest first. */
export function newestRuns(tx: TenantTransaction, subscriptionId: string, limit: number): Promise<SessionEntity[]> {
  return tx.manager.find(SessionEntity, {
    where: { subscription_id: subscriptionId },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** What a subscription was asked for, newest first. */
export function newestInvocations(
  tx: TenantTransaction,
  subscriptionId: string,
  limit: number,
): Promise<InvocationEntity[]> {
  return tx.manager.find(InvocationEntity, {
    where: { subscription_id: subscriptionId },
    order: { created_at: 'DESC', id: 'DESC' },
    take: limit,
  });
}
