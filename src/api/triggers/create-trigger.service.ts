import { Injectable } from '@nestjs/common';
import { BUDGET_CAPS } from '../../domain/budgets/effective-budgets.js';
import { templateOf } from '../../domain/triggers/subscription-rules.js';
import { ScheduleDriver } from '../../core/driver/schedule-driver.js';
import { Database } from '../../core/record/database.js';
import { mintCallbackSecret } from '../../core/triggers/callback-secrets.js';
import { checkSubscription, type WishedSubscription } from '../../core/triggers/subscription-check.js';
import { insertSubscription } from '../../core/triggers/subscription-records.js';
import { SubscriptionEntity } from '../../core/triggers/subscription.entity.js';
import { mintTriggerToken } from '../../core/triggers/trigger-tokens.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { viewerOf, type Principal } from '../auth/principal.js';
import { wholeBudgets, type BudgetsInput } from '../budgets/budgets.dto.js';
import type { CreatedTrigger } from './trigger-answers.dto.js';
import { TriggerTerms } from './trigger-terms.js';
import { ingressPathOf, viewAddressed } from './trigger-view.js';
import type { CreateTrigger } from './triggers.dto.js';

/** Creates triggers: row, clock and token in one transaction, after everything was checked and the callback's secret sealed. */
@Injectable()
export class CreateTriggerService {
  constructor(
    private readonly database: Database,
    private readonly terms: TriggerTerms,
    private readonly schedules: ScheduleDriver,
  ) {}

  /** @throws SandgateError as `checkSubscription`; `conflict` for a name that another trigger has */
  async create(principal: Principal, body: CreateTrigger): Promise<CreatedTrigger> {
    const { organizationId } = principal;
    const [id, now, viewer] = [newRowId(), new Date(), viewerOf(principal)];
    const checked = await this.database.withTenant(organizationId, (tx) =>
      checkSubscription(tx, toWish(body), { viewer, terms: this.terms, now }),
    );
    const callback =
      checked.columns.callback_url === null
        ? null
        : await mintCallbackSecret(this.terms.sealer, { organizationId, subscriptionId: id });
    const created = await this.database.withTenant(organizationId, async (tx) => {
      await insertSubscription(tx, id, checked, { callback, now });
      const token = await mintTriggerToken(tx, id);
      const row = await tx.manager.findOneByOrFail(SubscriptionEntity, { id });
      return {
        ...(await viewAddressed(tx, row, { baseUrl: this.terms.publicUrl, now })),
        token,
        callback_secret: callback?.secret ?? null,
        callback_secret_standard: callback?.standard ?? null,
        ingress_path: await ingressPathOf(tx, row),
      };
    });
    if (checked.clock !== null) await this.schedules.sync({ organizationId, subscriptionId: id });
    return created;
  }
}

function toWish(body: CreateTrigger): WishedSubscription {
  return {
    name: body.name,
    agent: body.agent,
    pinnedRevisionId: body.pinned_revision_id ?? null,
    taskTemplate: templateOf(body.task_template),
    allowTaskOverride: body.allow_task_override === true,
    allowWorkspaceOverride: body.allow_workspace_override === true,
    autonomous: body.autonomous === true,
    allowUnpriced: body.allow_unpriced === true,
    concurrencyPolicy: body.concurrency_policy ?? 'allow',
    budgets: capsOf(body.budgets ?? null),
    capabilities: body.capabilities ?? null,
    schedule: toSchedule(body.schedule ?? null),
    connection: body.connection ?? null,
    repositories: body.repositories ?? null,
    events: body.events ?? null,
    publish: body.publish ?? null,
    workspace: body.workspace ?? null,
    callbackUrl: body.callback_url ?? null,
  };
}

function toSchedule(schedule: CreateTrigger['schedule'] | null): WishedSubscription['schedule'] {
  if (schedule == null) return null;
  const { cron, timezone, missed_run_policy: missedRunPolicy } = schedule;
  return { cron: cron.trim(), timezone: timezone?.trim() ?? 'UTC', missedRunPolicy: missedRunPolicy ?? 'skip' };
}

/** Budgets without a cap say nothing. */
function capsOf(budgets: BudgetsInput | null): WishedSubscription['budgets'] {
  if (budgets === null || BUDGET_CAPS.every((cap) => budgets[cap] == null)) return null;
  return wholeBudgets(budgets);
}
