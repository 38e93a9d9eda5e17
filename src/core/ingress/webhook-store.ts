import type pg from 'pg';
import { In } from 'typeorm';
import { digestOfText } from '../../domain/digest/digest.js';
import type { PullRequestEvent } from '../../domain/triggers/events/pull-request-event.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { onlyRow, queryRows } from '../record/query-row.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { DispatchEntity } from './dispatch.entity.js';
import { SharedStatements } from '../record/shared-statements.js';
import { WebhookEntity } from './webhook.entity.js';

/** A webhook whose signature verified. */
export interface VerifiedWebhook {
  connectionId: string;
  /** The host's id of it. */
  externalEventId: string;
  /** Exactly as it was sent. */
  payload: string;
  event: PullRequestEvent;
}

/** What the webhook counts as. */
export interface StoredWebhook {
  deliveryId: string;
  /** It, or one with the same content, was stored before. */
  duplicate: boolean;
  /** What came of it before. */
  dispatched: { subscription_id: string; session_id: string | null }[];
}

const TEXT = 'select * from svc_store_webhooks($1, $2::uuid[], $3::uuid[], $4, $5, $6, $7, $8, $9::timestamptz[])';

/** Stores webhooks, each once, and wakes what handles those that a subscription waits for (docs/design/ingress.md). */
export class WebhookStore {
  private readonly shared = new SharedStatements<VerifiedWebhook, StoredWebhook>({
    together: (organizationId, webhooks) => this.insert(organizationId, webhooks),
    alone: async (organizationId, webhook) =>
      onlyRow(await this.insert(organizationId, [webhook]), 'svc_store_webhooks'),
    items: 64,
    atOnce: 2,
  });

  constructor(private readonly database: Pick<Database, 'pool' | 'announce'>) {}

  /** Answers after the commit. */
  store(organizationId: string, webhook: VerifiedWebhook): Promise<StoredWebhook> {
    return this.shared.make(organizationId, webhook);
  }

  private async insert(organizationId: string, webhooks: VerifiedWebhook[]): Promise<StoredWebhook[]> {
    const rows = await queryRows<StoredRow>(this.database.pool, {
      name: 'svc_store_webhooks',
      text: TEXT,
      values: [
        organizationId,
        webhooks.map(() => newRowId()),
        webhooks.map(({ connectionId }) => connectionId),
        webhooks.map(({ externalEventId }) => externalEventId),
        webhooks.map(({ event }) => event.type),
        webhooks.map(({ payload }) => payload),
        webhooks.map(({ payload }) => digestOfText(payload)),
        webhooks.map(({ event }) => JSON.stringify(event)),
        webhooks.map(({ event }) => event.occurred_at),
      ],
    });
    const outbox = rows.flatMap(({ outbox_id: id, delivery_id: subjectId }) =>
      id === null ? [] : [{ id, organizationId, subjectId, kind: 'webhook_stored' as const }],
    );
    this.database.announce({ outbox });
    return rows.map(({ delivery_id, duplicate, dispatched }) => ({
      deliveryId: delivery_id,
      duplicate,
      dispatched: dispatched ?? [],
    }));
  }
}

interface StoredRow {
  delivery_id: string;
  duplicate: boolean;
  outbox_id: string | null;
  dispatched: StoredWebhook['dispatched'] | null;
}

/** The newest webhooks of a connection, each with what came of it, oldest dispatch first. */
export async function listWebhooks(
  tx: TenantTransaction,
  connectionId: string,
  limit: number,
): Promise<{ webhook: WebhookEntity; dispatches: DispatchEntity[] }[]> {
  const webhooks = await tx.manager.find(WebhookEntity, {
    where: { connection_id: connectionId },
    order: { received_at: 'DESC', id: 'DESC' },
    take: limit,
  });
  const dispatches = await tx.manager.find(DispatchEntity, {
    where: { delivery_id: In(webhooks.map(({ id }) => id)) },
    order: { created_at: 'ASC', id: 'ASC' },
  });
  const of = Map.groupBy(dispatches, (dispatch) => dispatch.delivery_id);
  return webhooks.map((webhook) => ({ webhook, dispatches: of.get(webhook.id) ?? [] }));
}

/** What came of events for a subscription, newest first. */
export function newestDispatches(
  tx: TenantTransaction,
  subscriptionId: string,
  limit: number,
): Promise<DispatchEntity[]> {
  return tx.manager.find(DispatchEntity, {
    where: { subscription_id: subscriptionId },
    order: { created_at: 'DESC', id: 'DESC' },
    take: limit,
  });
}

/** Subscriptions that listen to a stored webhook and that nothing came of yet, oldest first. */
export async function listUndispatched(tx: TenantTransaction, deliveryId: string): Promise<string[]> {
  const rows = await tx.query<{ subscription_id: string }>(
    'select subscription_id from svc_list_undispatched($1) order by place',
    [deliveryId],
  );
  return rows.map((row) => row.subscription_id);
}

/** Marks a webhook as handled. @returns false when a subscription waits for it still */
export async function settleWebhook(tx: TenantTransaction, deliveryId: string): Promise<boolean> {
  const [row] = await tx.query<{ settled: boolean }>('select svc_settle_webhook($1) as settled', [deliveryId]);
  return row?.settled === true;
}

/** A page of webhooks, of all organizations, that a subscription has waited for longer than `olderThanMs`. */
export async function listUnhandledWebhooks(
  pool: pg.Pool,
  olderThanMs: number,
  after: string | null,
  limit: number,
): Promise<{ organizationId: string; deliveryId: string }[]> {
  const rows = await queryRows<{ organization_id: string; delivery_id: string }>(pool, {
    text: 'select * from svc_list_unhandled_webhooks($1, $2, $3)',
    values: [olderThanMs, after, limit],
  });
  return rows.map((row) => ({
    organizationId: row.organization_id,
    deliveryId: row.delivery_id,
  }));
}
