import type pg from 'pg';
import { queryRows } from '../record/query-row.js';
import type { TenantTransaction } from '../record/database.js';
import { ScheduleEntity } from './schedule.entity.js';
import type { ScheduleRef } from './schedule-firings.js';
import { SubscriptionEntity } from './subscription.entity.js';

/** What wakes a schedule is made from. */
export interface ListedSchedule extends ScheduleRef {
  cron: string;
  timezone: string;
  enabled: boolean;
}

/** Of all organizations: enabled schedules that were to fire by `until`, the oldest slot first. */
export function listDueSchedules(pool: pg.Pool, until: Date, limit: number): Promise<ScheduleRef[]> {
  return queryRows<ScheduleRef>(pool, {
    text: `select organization_id as "organizationId", subscription_id as "subscriptionId"
             from svc_list_due_schedules($1, $2)`,
    values: [until, limit],
  });
}

/** Of all organizations: schedules that fire again, by the id of the subscription; page with the last one. */
export function listSchedules(pool: pg.Pool, after: string | null, limit: number): Promise<ListedSchedule[]> {
  return queryRows<ListedSchedule>(pool, {
    text: `select organization_id as "organizationId", subscription_id as "subscriptionId", cron, timezone, enabled
             from svc_list_schedules($1, $2)`,
    values: [after, limit],
  });
}

/** Null for a subscription without a clock. */
export async function readSchedule(
  tx: TenantTransaction,
  subscriptionId: string,
): Promise<(ListedSchedule & { nextFireAt: Date | null }) | null> {
  const subscription = await tx.manager.findOneBy(SubscriptionEntity, { id: subscriptionId });
  const schedule = await tx.manager.findOneBy(ScheduleEntity, { subscription_id: subscriptionId });
  if (subscription === null || schedule === null) return null;
  const { cron, timezone, next_fire_at: nextFireAt } = schedule;
  const { organizationId } = tx;
  return { organizationId, subscriptionId, cron, timezone, enabled: subscription.enabled, nextFireAt };
}
