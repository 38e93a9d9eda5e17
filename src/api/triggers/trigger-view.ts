import { In } from 'typeorm';
import { ingressPath } from '../../domain/connections/ingress-path.js';
import { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import { AgentEntity } from '../../core/agents/agent.entity.js';
import { ConnectionEntity } from '../../core/connections/connection.entity.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { onlyRow } from '../../core/record/query-row.js';
import type { InvocationEntity } from '../../core/triggers/invocation.entity.js';
import { ScheduleEntity } from '../../core/triggers/schedule.entity.js';
import type { SubscriptionEntity } from '../../core/triggers/subscription.entity.js';
import type {
  AddressedTrigger,
  InvocationView,
  ScheduleView,
  Trigger,
  TriggerAddresses,
} from './trigger-answers.dto.js';

const SHOWN_FIRINGS = 5;

/** Triggers as they are answered, in the given order. */
export async function viewTriggers(tx: TenantTransaction, rows: SubscriptionEntity[]): Promise<Trigger[]> {
  if (rows.length === 0) return [];
  const agents = await tx.manager.findBy(AgentEntity, { id: In([...new Set(rows.map(({ agent_id }) => agent_id))]) });
  const clocks = await tx.manager.findBy(ScheduleEntity, { subscription_id: In(rows.map(({ id }) => id)) });
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  const schedules = new Map(clocks.map((clock) => [clock.subscription_id, toScheduleView(clock)]));
  return rows.map((row) =>
    toTrigger(row, { agent: names.get(row.agent_id) ?? '', schedule: schedules.get(row.id) ?? null }),
  );
}

export async function viewTrigger(tx: TenantTransaction, row: SubscriptionEntity): Promise<Trigger> {
  return onlyRow(await viewTriggers(tx, [row]), 'the view of a trigger');
}

/** A trigger, where it is reached, and when it fires. */
export async function viewAddressed(
  tx: TenantTransaction,
  row: SubscriptionEntity,
  { baseUrl, now }: { baseUrl: string; now: Date },
): Promise<AddressedTrigger> {
  const trigger = await viewTrigger(tx, row);
  const addresses = await addressesOf(tx, row, baseUrl);
  return { ...trigger, ...addresses, next_firings: firingsOf(trigger, now) };
}

export async function addressesOf(
  tx: TenantTransaction,
  row: SubscriptionEntity,
  baseUrl: string,
): Promise<TriggerAddresses> {
  const path = await ingressPathOf(tx, row);
  return {
    base_url: baseUrl,
    invoke_url: `${baseUrl}/v1/triggers/${row.id}/invoke`,
    poll_url_template: `${baseUrl}/v1/triggers/${row.id}/runs/{session_id}`,
    ingress_url: path === null ? null : `${baseUrl}${path}`,
  };
}

/** Where the code host sends the webhooks that a trigger listens to; null for one that listens to none. */
export async function ingressPathOf(
  tx: TenantTransaction,
  { connection_id: id }: SubscriptionEntity,
): Promise<string | null> {
  if (id === null) return null;
  return ingressPath(await tx.manager.findOneByOrFail(ConnectionEntity, { id }));
}

function firingsOf({ enabled, schedule }: Trigger, now: Date): string[] {
  if (!enabled || schedule === null) return [];
  const times = new FiringTimes(schedule.cron, schedule.timezone);
  return times.upcoming(now, SHOWN_FIRINGS).map((at) => at.toISOString());
}

function toTrigger(row: SubscriptionEntity, of: { agent: string; schedule: ScheduleView | null }): Trigger {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    agent: of.agent,
    agent_id: row.agent_id,
    name: row.name,
    trigger_kind: row.trigger_kind,
    enabled: row.enabled,
    pinned_revision_id: row.pinned_revision_id,
    task_template: row.task_template,
    allow_task_override: row.allow_task_override,
    allow_workspace_override: row.allow_workspace_override,
    autonomous: row.autonomy === 'autonomous',
    allow_unpriced: row.allow_unpriced,
    concurrency_policy: row.concurrency_policy,
    budgets: row.budget_override,
    workspace: row.workspace_override,
    callback_url: row.callback_url,
    connection: row.connection_id,
    repositories: row.repositories,
    events: row.events,
    publish: row.publish,
    capabilities: row.capability_bundles,
    schedule: of.schedule,
    next_fire_at: of.schedule?.next_fire_at ?? null,
    last_fired_at: of.schedule?.last_fired_at ?? null,
    authority_generation: row.authority_generation,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function toScheduleView(clock: ScheduleEntity): ScheduleView {
  const { id, subscription_id, cron, timezone, missed_run_policy } = clock;
  return {
    ...{ id, subscription_id, cron, timezone, missed_run_policy },
    next_fire_at: clock.next_fire_at?.toISOString() ?? null,
    last_fired_at: clock.last_fired_at?.toISOString() ?? null,
    created_at: clock.created_at.toISOString(),
    updated_at: clock.updated_at.toISOString(),
  };
}

export function toInvocationView(invocation: InvocationEntity): InvocationView {
  const { id, subscription_id, idempotency_key, session_id, skip_reason } = invocation;
  return {
    ...{ id, subscription_id, idempotency_key, session_id, skip_reason },
    created_at: invocation.created_at.toISOString(),
  };
}
