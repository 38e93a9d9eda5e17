import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Egress } from '../../../../src/platform/egress/egress.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { wake } from '../../core/driver/wake.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { attemptDelivery } from '../../core/webhooks/attempt-delivery.js';
import { DeliveryAttemptEntity } from '../../core/webhooks/delivery-attempt.entity.js';
import { appendTestEvent, redeliver } from '../../core/webhooks/delivery-records.js';
import { DeliveryEntity } from '../../core/webhooks/delivery.entity.js';
import { requireDelivery, requireWebhook } from '../../core/webhooks/webhook-access.js';
import { WebhookSecrets } from '../../core/webhooks/webhook-secrets.js';
import { DocsvcError } from '../../domain/errors.js';
import { TEST_EVENT } from '../../domain/webhooks/event-types.js';
import { publicUrl } from '../../platform/config/index.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Caller } from '../http/caller.decorator.js';
import { answerPage, openPage, type Page } from '../http/page.js';
import {
  viewAttempt,
  viewDelivery,
  type AttemptView,
  type DeliveriesQuery,
  type DeliveryView,
} from './deliveries.dto.js';

/** The history of deliveries (DI-022), and what a client can do about it. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
    private readonly egress: Egress,
    private readonly secrets: WebhookSecrets,
  ) {}

  list(caller: Caller, webhookId: string, query: DeliveriesQuery): Promise<Page<DeliveryView>> {
    this.secrets.require();
    const { status } = query;
    const list = `deliveries of ${webhookId} ${status ?? ''}`;
    const asked = openPage(caller, list, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const { id } = await requireWebhook(tx, caller, webhookId);
      const where = { webhook_id: id, ...(status === undefined ? {} : { status }) };
      const page = await newestPage(tx, DeliveryEntity, where, asked);
      const attempts = await attemptsOf(
        tx,
        page.rows.map((row) => row.id),
      );
      return answerPage(caller, list, page, (row) => viewDelivery(row, attempts));
    });
  }

  read(caller: Caller, id: string): Promise<DeliveryView> {
    this.secrets.require();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const delivery = await requireDelivery(tx, caller, id);
      return viewDelivery(delivery, await attemptsOf(tx, [id]));
    });
  }

  /** @throws DocsvcError `conflict` for one that is on its way, or whose webhook is disabled */
  redeliver(caller: Caller, id: string): Promise<DeliveryView> {
    this.secrets.require();
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const { webhook_id: webhookId, project_id: projectId } = await requireDelivery(tx, caller, id);
      const webhook = await requireWebhook(tx, caller, webhookId);
      if (!webhook.enabled) throw new DocsvcError('conflict', 'the webhook is disabled; enable it first');
      if (!(await redeliver(tx, id))) throw new DocsvcError('conflict', 'the delivery is on its way already');
      await wake(tx, 'deliver', id);
      await recordAudit(tx, caller, {
        action: 'delivery.redelivered',
        subjectKind: 'delivery',
        subjectId: id,
        projectId,
        detail: { webhookId },
      });
      return viewDelivery(await requireDelivery(tx, caller, id), await attemptsOf(tx, [id]));
    });
  }

  /** Sends `webhook.test` now, also to a webhook that is disabled, and answers what came of it. */
  async test(caller: Caller, webhookId: string): Promise<AttemptView> {
    this.secrets.require();
    const { orgId } = caller;
    const deliveryId = await this.record.inOrganization(orgId, async (tx) => {
      const { id, project_id: projectId } = await requireWebhook(tx, caller, webhookId);
      const event = { eventId: newRowId(), webhookId: id, type: TEST_EVENT, data: { webhookId: id, status: 'test' } };
      const made = await appendTestEvent(tx, event);
      const subject = { subjectKind: 'webhook', subjectId: id, projectId };
      await recordAudit(tx, caller, { action: 'webhook.tested', ...subject, detail: { deliveryId: made } });
      return made;
    });
    await attemptDelivery(
      {
        record: this.record,
        secrets: this.secrets,
        client: this.egress.guarded,
        publicUrl: publicUrl(this.config.http),
        // A person waits for this one.
        turns: { take: () => () => undefined },
      },
      { orgId, deliveryId },
    );
    const [attempt] = await this.record.inOrganization(orgId, (tx) => attemptsOf(tx, [deliveryId]));
    if (attempt === undefined) throw new DocsvcError('not_found', 'the webhook was deleted meanwhile');
    return viewAttempt(attempt);
  }
}

function attemptsOf(tx: RecordTransaction, deliveryIds: string[]): Promise<DeliveryAttemptEntity[]> {
  return tx.manager.find(DeliveryAttemptEntity, {
    where: { delivery_id: In(deliveryIds) },
    order: { delivery_id: 'ASC', number: 'ASC' },
  });
}
