import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import { requireProject } from '../projects/project-access.js';
import type { RecordTransaction } from '../record/record.js';
import { DeliveryEntity } from './delivery.entity.js';
import { WebhookEntity } from './webhook.entity.js';

/**
 * The webhook of that id.
 *
 * @throws DocsvcError `not_found` for one that is absent, of another organization, or of a project that the credential may not use
 */
export async function requireWebhook(tx: RecordTransaction, caller: Caller, id: string): Promise<WebhookEntity> {
  const webhook = await tx.manager.findOneBy(WebhookEntity, { id });
  if (webhook === null) throw new DocsvcError('not_found', 'no such webhook');
  await requireProject(tx, caller, webhook.project_id, 'no such webhook');
  return webhook;
}

/** The delivery of that id. @throws DocsvcError `not_found` as {@link requireWebhook} does */
export async function requireDelivery(tx: RecordTransaction, caller: Caller, id: string): Promise<DeliveryEntity> {
  const delivery = await tx.manager.findOneBy(DeliveryEntity, { id });
  if (delivery === null) throw new DocsvcError('not_found', 'no such delivery');
  await requireProject(tx, caller, delivery.project_id, 'no such delivery');
  return delivery;
}
