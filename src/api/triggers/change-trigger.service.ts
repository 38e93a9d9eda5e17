import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';
import { notFound } from '../../domain/resource-id.js';
import { templateOf } from '../../domain/triggers/subscription-rules.js';
import { ScheduleDriver } from '../../core/driver/schedule-driver.js';
import { Database, type TenantTransaction } from '../../core/record/database.js';
import { mintCallbackSecret, type MintedCallbackSecret } from '../../core/triggers/callback-secrets.js';
import { lockSubscription } from '../../core/triggers/lock-subscription.js';
import { ScheduleEntity } from '../../core/triggers/schedule.entity.js';
import {
  checkSubscription,
  type CheckedSubscription,
  type WishedSchedule,
  type WishedSubscription,
} from '../../core/triggers/subscription-check.js';
import { changeSubscription, type CallbackChange } from '../../core/triggers/subscription-records.js';
import { SubscriptionEntity } from '../../core/triggers/subscription.entity.js';
import { viewerOf, type Principal } from '../auth/principal.js';
import type { AddressedTrigger, ChangedTrigger } from './trigger-answers.dto.js';
import { TriggerTerms } from './trigger-terms.js';
import { viewAddressed } from './trigger-view.js';
import type { ChangeTrigger } from './triggers.dto.js';

/** A trigger as a change found it, and what the change comes to. */
interface PreparedChange {
  seen: SubscriptionEntity;
  checked: CheckedSubscription;
}

/** Changes triggers: the state that would result is checked whole, and written only where nothing else has changed meanwhile. */
@Injectable()
export class ChangeTriggerService {
  constructor(
    private readonly database: Database,
    private readonly terms: TriggerTerms,
    private readonly schedules: ScheduleDriver,
  ) {}

  /** @throws SandgateError `not_found`; as `checkSubscription`; `conflict` for a trigger that moved meanwhile, and for a taken name */
  async change(principal: Principal, id: string, changes: ChangeTrigger): Promise<ChangedTrigger> {
    const { organizationId } = principal;
    const now = new Date();
    const prepared = await this.database.withTenant(organizationId, (tx) =>
      this.prepare(tx, { principal, id, changes, now }),
    );
    if ('unchanged' in prepared) return prepared.unchanged;
    const callback = await this.callbackOf(prepared, changes);
    const changed = await this.database.withTenant(organizationId, async (tx) => {
      const locked = await lockSubscription(tx, id, 'change');
      if (locked === null) throw notFound('trigger');
      if (!isDeepStrictEqual(locked, prepared.seen))
        throw new SandgateError('conflict', 'the trigger was changed meanwhile; read it again');
      await changeSubscription(tx, locked, prepared.checked, { callback, now });
      const shown = typeof callback === 'string' ? {} : shownOnce(callback);
      return { ...(await this.view(tx, id, now)), ...shown };
    });
    if (prepared.checked.clock !== null) await this.schedules.sync({ organizationId, subscriptionId: id });
    return changed;
  }

  private async prepare(
    tx: TenantTransaction,
    { principal, id, changes, now }: { principal: Principal; id: string; changes: ChangeTrigger; now: Date },
  ): Promise<PreparedChange | { unchanged: AddressedTrigger }> {
    const seen = await tx.manager.findOneBy(SubscriptionEntity, { id });
    if (seen === null) throw notFound('trigger');
    const clock = await tx.manager.findOneBy(ScheduleEntity, { subscription_id: id });
    const wish = { ...toWish(seen, clock), ...membersOf(changes), ...scheduleOf(clock, changes.schedule ?? null) };
    if (isEmpty(changes)) return { unchanged: await this.view(tx, id, now) };
    const checked = await checkSubscription(tx, wish, { viewer: viewerOf(principal), terms: this.terms, now });
    return { seen, checked };
  }

  /** A URL always gets a new secret, the one that is there included: naming it again is how a secret is replaced. */
  private async callbackOf({ seen }: PreparedChange, { callback_url: url }: ChangeTrigger): Promise<CallbackChange> {
    if (url == null) return 'kept';
    if (url === '') return seen.callback_url === null ? 'kept' : 'removed';
    return mintCallbackSecret(this.terms.sealer, { organizationId: seen.tenant_id, subscriptionId: seen.id });
  }

  private async view(tx: TenantTransaction, id: string, now: Date): Promise<AddressedTrigger> {
    const row = await tx.manager.findOneByOrFail(SubscriptionEntity, { id });
    return viewAddressed(tx, row, { baseUrl: this.terms.publicUrl, now });
  }
}

function shownOnce({ secret, standard }: MintedCallbackSecret): Partial<ChangedTrigger> {
  return { callback_secret: secret, callback_secret_standard: standard };
}

/** Null counts as not given. */
function isEmpty({ schedule, ...members }: ChangeTrigger): boolean {
  const values: unknown[] = [...Object.values(members), ...Object.values({ ...schedule })];
  return values.every((value) => value == null);
}

function toWish(row: SubscriptionEntity, clock: ScheduleEntity | null): WishedSubscription {
  return {
    name: row.name,
    agent: row.agent_id,
    pinnedRevisionId: row.pinned_revision_id,
    taskTemplate: row.task_template,
    allowTaskOverride: row.allow_task_override,
    allowWorkspaceOverride: row.allow_workspace_override,
    autonomous: row.autonomy === 'autonomous',
    allowUnpriced: row.allow_unpriced,
    concurrencyPolicy: row.concurrency_policy,
    budgets: row.budget_override,
    capabilities: row.capability_bundles,
    schedule: clock === null ? null : toSchedule(clock),
    connection: row.connection_id,
    repositories: row.repositories,
    events: row.events,
    publish: row.publish,
    workspace: row.workspace_override,
    callbackUrl: row.callback_url,
  };
}

function toSchedule({ cron, timezone, missed_run_policy }: ScheduleEntity): WishedSchedule {
  return { cron, timezone, missedRunPolicy: missed_run_policy };
}

function membersOf(changes: ChangeTrigger): Partial<WishedSubscription> {
  const { name, task_template, allow_task_override, allow_workspace_override, concurrency_policy, callback_url } =
    changes;
  return {
    ...(name == null ? {} : { name }),
    ...(task_template == null ? {} : { taskTemplate: templateOf(task_template) }),
    ...(allow_task_override == null ? {} : { allowTaskOverride: allow_task_override }),
    ...(allow_workspace_override == null ? {} : { allowWorkspaceOverride: allow_workspace_override }),
    ...(concurrency_policy == null ? {} : { concurrencyPolicy: concurrency_policy }),
    ...(callback_url == null ? {} : { callbackUrl: callback_url === '' ? null : callback_url }),
  };
}

/** @throws SandgateError `invalid_request` for a trigger without a clock, which never gets one */
function scheduleOf(
  clock: ScheduleEntity | null,
  change: ChangeTrigger['schedule'] | null,
): Pick<WishedSubscription, 'schedule'> | object {
  if (change == null) return {};
  if (clock === null)
    throw new SandgateError('invalid_request', 'schedule: this trigger has no clock, and its kind never changes');
  const { cron, timezone, missed_run_policy } = change;
  return {
    schedule: {
      cron: cron?.trim() ?? clock.cron,
      timezone: timezone?.trim() ?? clock.timezone,
      missedRunPolicy: missed_run_policy ?? clock.missed_run_policy,
    },
  };
}
