import type { JsonObject } from '../../../../src/domain/json.js';
import type { RetryPolicy } from '../../domain/webhooks/retry-policy.js';
import type { RecordTransaction } from '../record/record.js';
import type { DeliveryStatus } from './delivery.entity.js';

/** A webhook of which nothing has succeeded for so long is disabled. */
const FAILING_DAYS = 5;

/** A delivery with what an attempt needs. */
export interface OpenDelivery {
  webhookId: string;
  projectId: string;
  eventId: string;
  eventType: string;
  status: DeliveryStatus;
  attempts: number;
  /** Of them, those since it was last sent on its way. */
  roundAttempts: number;
  /** Until the next attempt is due. */
  waitMs: number;
  url: string;
  enabled: boolean;
  retry: RetryPolicy;
  sealedSecret: Buffer;
  sealedPreviousSecret: Buffer | null;
  occurredAt: Date;
  data: JsonObject;
  /** Of a run, where the webhook wants it. */
  result: JsonObject | null;
}

interface DeliveryRow {
  webhook_id: string;
  project_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempts: number;
  round_attempts: number;
  wait_ms: number | null;
  url: string;
  enabled: boolean;
  retry: RetryPolicy;
  sealed_secret: Buffer;
  sealed_previous_secret: Buffer | null;
  occurred_at: Date;
  data: JsonObject;
  result: JsonObject | null;
}

/** Null for a delivery that is gone with its webhook. */
export async function readDelivery(tx: RecordTransaction, id: string): Promise<OpenDelivery | null> {
  const [row] = await tx.query<DeliveryRow>('select * from docsvc_read_delivery($1)', [id]);
  if (row === undefined) return null;
  return {
    webhookId: row.webhook_id,
    projectId: row.project_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attempts: row.attempts,
    roundAttempts: row.round_attempts,
    waitMs: row.wait_ms ?? 0,
    url: row.url,
    enabled: row.enabled,
    retry: row.retry,
    sealedSecret: row.sealed_secret,
    sealedPreviousSecret: row.sealed_previous_secret,
    occurredAt: row.occurred_at,
    data: row.data,
    result: row.result,
  };
}

/** What came of an attempt, as it is put on the record. */
export interface AttemptRecord {
  number: number;
  at: Date;
  statusCode: number | null;
  durationMs: number;
  error: string | null;
  snippet: string | null;
  succeeded: boolean;
  /** Before the next one; null after the last. */
  waitMs: number | null;
  /** The receiver says that it is gone for good. */
  gone: boolean;
}

/**
 * Puts an attempt on the record and moves its delivery, and disables a webhook that is beyond hope.
 *
 * @returns whether it was recorded now, and whether it disabled the webhook; not recorded: somebody else has done the same attempt
 */
export async function recordAttempt(
  tx: RecordTransaction,
  deliveryId: string,
  attempt: AttemptRecord,
): Promise<{ recorded: boolean; disabled: boolean }> {
  const [row] = await tx.query<{ recorded: boolean; disabled: boolean }>(
    'select * from docsvc_record_delivery_attempt($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    [
      deliveryId,
      attempt.number,
      attempt.at,
      attempt.statusCode,
      attempt.durationMs,
      attempt.error,
      attempt.snippet,
      attempt.succeeded,
      attempt.waitMs,
      attempt.gone,
      FAILING_DAYS,
    ],
  );
  return row ?? { recorded: false, disabled: false };
}

/** Puts off an attempt whose turn has not come. @returns milliseconds; null when none is to be made any more */
export async function postponeDelivery(tx: RecordTransaction, id: string): Promise<number | null> {
  const [row] = await tx.query<{ wait_ms: number | null }>('select docsvc_postpone_delivery($1) as wait_ms', [id]);
  return row?.wait_ms ?? null;
}

export async function cancelDelivery(tx: RecordTransaction, id: string): Promise<void> {
  await tx.query('select docsvc_cancel_delivery($1)', [id]);
}

/** Sends a finished delivery on its way again. @returns false where it is on its way already */
export async function redeliver(tx: RecordTransaction, id: string): Promise<boolean> {
  const [row] = await tx.query<{ sent: boolean }>('select docsvc_redeliver($1) as sent', [id]);
  return row?.sent === true;
}

/** Disables a webhook and cancels what is on its way to it. @param reason null: a client did */
export async function disableWebhook(tx: RecordTransaction, id: string, reason: string | null): Promise<void> {
  await tx.query('select docsvc_disable_webhook($1, $2)', [id, reason]);
}

/** An event for one webhook alone. @returns the delivery */
export async function appendTestEvent(
  tx: RecordTransaction,
  { eventId, webhookId, type, data }: { eventId: string; webhookId: string; type: string; data: JsonObject },
): Promise<string> {
  const [row] = await tx.query<{ id: string }>('select docsvc_append_test_event($1, $2, $3, $4, $5) as id', [
    eventId,
    tx.organizationId,
    webhookId,
    type,
    data,
  ]);
  if (row === undefined) throw new Error('docsvc_append_test_event answered nothing');
  return row.id;
}
