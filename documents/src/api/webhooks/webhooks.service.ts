import { Injectable } from '@nestjs/common';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { CLOCK, insertRows, updateRow } from '../../../../src/platform/postgres/write-rows.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { requireProject } from '../../core/projects/project-access.js';
import { ProjectEntity } from '../../core/projects/project.entity.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { disableWebhook } from '../../core/webhooks/delivery-records.js';
import { requireWebhook } from '../../core/webhooks/webhook-access.js';
import { WebhookEntity } from '../../core/webhooks/webhook.entity.js';
import { DocsvcError } from '../../domain/errors.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Caller } from '../http/caller.decorator.js';
import { requireVersion, Tagged, versionConflict } from '../http/etag.js';
import { answerPage, openPage, type Page, type PageQuery } from '../http/page.js';
import { WebhookRules } from './webhook-rules.js';
import {
  viewWebhook,
  type NewWebhook,
  type WebhookChanges,
  type WebhookView,
  type WebhookWithSecret,
} from './webhooks.dto.js';

/** Webhooks of projects (DI-004, DI-021). */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
    private readonly rules: WebhookRules,
  ) {}

  list(caller: Caller, projectId: string, query: PageQuery): Promise<Page<WebhookView>> {
    this.rules.requireKey();
    const list = `webhooks of ${projectId}`;
    const asked = openPage(caller, list, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const project = await requireProject(tx, caller, projectId);
      const page = await newestPage(tx, WebhookEntity, { project_id: project.id }, asked);
      return answerPage(caller, list, page, viewWebhook);
    });
  }

  /** @throws DocsvcError `quota_exceeded` for one webhook too many, `invalid_request` for an address that the guard refuses */
  create(caller: Caller, projectId: string, body: NewWebhook): Promise<Tagged<WebhookWithSecret>> {
    this.rules.requireKey();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const project = await requireProject(tx, caller, projectId);
      this.rules.check(body);
      await this.requireRoom(tx, project.id);
      const id = newRowId();
      const { secret, sealed } = this.rules.newSecret(caller.orgId, id);
      await insertRows(tx, WebhookEntity, [
        {
          id,
          org_id: caller.orgId,
          project_id: project.id,
          url: body.url,
          description: body.description ?? null,
          events: body.events,
          enabled: body.enabled ?? true,
          include_result: body.includeResult ?? false,
          retry: { strategy: 'standard', ...body.retry },
          sealed_secret: sealed,
        },
      ]);
      await recordAudit(tx, caller, audited('webhook.created', id, project.id));
      const row = await requireWebhook(tx, caller, id);
      return new Tagged({ ...viewWebhook(row), secret }, row.row_version);
    });
  }

  read(caller: Caller, id: string): Promise<Tagged<WebhookView>> {
    this.rules.requireKey();
    return this.record.inOrganization(caller.orgId, async (tx) => tagged(await requireWebhook(tx, caller, id)));
  }

  /** Enabling begins anew: what failed before does not count. Disabling cancels what is on its way. */
  change(caller: Caller, id: string, asked: number | null, body: WebhookChanges): Promise<Tagged<WebhookView>> {
    this.rules.requireKey();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await requireWebhook(tx, caller, id);
      this.rules.check(body);
      requireVersion(asked, before.row_version);
      const { url, events, description, enabled, includeResult, retry } = body;
      const row = await write(tx, before, {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events }),
        ...(description === undefined ? {} : { description }),
        ...(retry === undefined ? {} : { retry: { ...retry } }),
        ...(includeResult === undefined ? {} : { include_result: includeResult }),
        ...(enabled === true ? { enabled, disabled_reason: null, failing_since: null } : {}),
      });
      if (enabled === false) await disableWebhook(tx, id, null);
      await recordAudit(tx, caller, {
        ...audited('webhook.changed', id, row.project_id),
        detail: { members: Object.keys(body) },
      });
      return tagged(enabled === false ? await requireWebhook(tx, caller, id) : row);
    });
  }

  /** Its deliveries and their history go with it. */
  remove(caller: Caller, id: string): Promise<void> {
    this.rules.requireKey();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const webhook = await requireWebhook(tx, caller, id);
      await tx.manager.delete(WebhookEntity, { id });
      await recordAudit(tx, caller, audited('webhook.deleted', id, webhook.project_id));
    });
  }

  /** For a day the secret before signs too, so that a receiver can change it when it likes. */
  rotate(caller: Caller, id: string): Promise<Tagged<WebhookWithSecret>> {
    this.rules.requireKey();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await requireWebhook(tx, caller, id);
      const { sealed_secret: old } = await tx.manager.findOneOrFail(WebhookEntity, {
        select: { id: true, sealed_secret: true },
        where: { id },
      });
      const { secret, sealed } = this.rules.newSecret(caller.orgId, id);
      const row = await write(tx, before, {
        sealed_secret: sealed,
        sealed_previous_secret: this.rules.previousSecret(caller.orgId, id, old),
        previous_secret_until: () => `clock_timestamp() + interval '24 hours'`,
      });
      await recordAudit(tx, caller, audited('webhook.rotated', id, row.project_id));
      return new Tagged({ ...viewWebhook(row), secret }, row.row_version);
    });
  }

  private async requireRoom(tx: RecordTransaction, projectId: string): Promise<void> {
    const { webhooksPerProject: most } = this.config.quotas;
    // Others that count at the same time wait, so that they count this one too.
    await tx.manager.findOne(ProjectEntity, { where: { id: projectId }, lock: { mode: 'pessimistic_write' } });
    if ((await tx.manager.countBy(WebhookEntity, { project_id: projectId })) < most) return;
    throw new DocsvcError('quota_exceeded', `the project has ${most} webhooks, which is all it may; delete one first`);
  }
}

type Changes = Partial<
  Omit<WebhookEntity, 'previous_secret_until'> & {
    previous_secret_until: () => string;
  }
>;

async function write(
  tx: RecordTransaction,
  { id, row_version: version }: WebhookEntity,
  changes: Changes,
): Promise<WebhookEntity> {
  const values = { ...changes, row_version: version + 1, updated_at: CLOCK };
  const row = await updateRow(tx, WebhookEntity, { id, row_version: version }, values);
  if (row === null) throw versionConflict();
  return row;
}

function tagged(row: WebhookEntity): Tagged<WebhookView> {
  return new Tagged(viewWebhook(row), row.row_version);
}

function audited(action: string, subjectId: string, projectId: string) {
  return { action, subjectKind: 'webhook', subjectId, projectId };
}
