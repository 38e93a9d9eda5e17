import type pg from 'pg';
import { In } from 'typeorm';
import type { DeliveryWay } from '../../domain/deliveries/delivery-way.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { CLOCK, insertUnlessThere, updateRow } from '../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { onlyRow, queryRows } from '../record/query-row.js';
import { DeliveryEntity, type DeliveryStatus } from './delivery.entity.js';

/** A delivery as an attempt finds it. */
export interface DeliverySubject {
  subscriptionId: string;
  subscriptionName: string;
  destination: ResultDestination;
  status: DeliveryStatus;
  attempts: number;
  resends: number;
  /** By the database's clock; negative when overdue, null when nothing is to come. */
  msUntilNextAttempt: number | null;
}

export interface RecordedAttempt {
  attempt: number;
  status: DeliveryStatus;
  error: string | null;
  /** `sha256:` and hex, of what was sent; null when nothing was made to be sent. */
  payloadDigest: string | null;
  /** Until the next attempt; null when it was the last one. */
  waitMs: number | null;
}

/**
 * One delivery for each destination of a run, in the transaction that ends it; a repetition adds none. Its workflows are started
 * behind the commit.
 */
export async function createDeliveries(tx: TenantTransaction, runId: string): Promise<void> {
  const destinations = await tx.query<{
    subscription_id: string;
    destination_index: number;
    destination: ResultDestination;
  }>('select * from svc_read_destinations($1)', [runId]);
  if (destinations.length === 0) return;
  for (const destination of destinations) {
    await insertUnlessThere(tx, DeliveryEntity, {
      id: newRowId(),
      tenant_id: tx.organizationId,
      session_id: runId,
      next_attempt_at: CLOCK,
      ...destination,
    });
  }
  await tx.enqueue(runId, 'deliveries_due');
}

/** Deliveries of the run that are not settled. */
export async function listPendingDeliveries(tx: TenantTransaction, runId: string): Promise<DeliveryWay[]> {
  const rows = await tx.manager.findBy(DeliveryEntity, { session_id: runId, status: 'pending' });
  return rows.map(({ id, resends }) => ({ organizationId: tx.organizationId, runId, deliveryId: id, resends }));
}

/** Of all organizations: deliveries whose next attempt has been due for `olderThanMs`, the longest first. */
export async function listOverdueDeliveries(pool: pg.Pool, olderThanMs: number, limit: number): Promise<DeliveryWay[]> {
  const rows = await queryRows<{ organization_id: string; session_id: string; delivery_id: string; resends: number }>(
    pool,
    { text: 'select * from svc_list_overdue_deliveries($1, $2)', values: [olderThanMs, limit] },
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    runId: row.session_id,
    deliveryId: row.delivery_id,
    resends: row.resends,
  }));
}

/** Null when the organization has no such delivery. */
export async function readDelivery(tx: TenantTransaction, deliveryId: string): Promise<DeliverySubject | null> {
  const [row] = await tx.query<{
    subscription_id: string;
    subscription_name: string;
    destination: ResultDestination;
    status: DeliveryStatus;
    attempts: number;
    resends: number;
    ms_until_next_attempt: number | null;
  }>('select * from svc_read_delivery($1)', [deliveryId]);
  if (row === undefined) return null;
  const { destination, status, attempts, resends } = row;
  return {
    ...{ destination, status, attempts, resends },
    subscriptionId: row.subscription_id,
    subscriptionName: row.subscription_name,
    msUntilNextAttempt: row.ms_until_next_attempt,
  };
}

/**
 * Counts an attempt and what came of it.
 *
 * @returns false when it is on the record already, or the delivery is on another way by now
 */
export async function recordAttempt(tx: TenantTransaction, way: DeliveryWay, made: RecordedAttempt): Promise<boolean> {
  const { attempt, status, error, payloadDigest, waitMs } = made;
  const rows = await tx.query<{ recorded: boolean }>(
    'select svc_record_attempt($1, $2, $3, $4, $5, $6, $7) as recorded',
    [way.deliveryId, way.resends, ...[attempt, status, error, payloadDigest, waitMs]],
  );
  return onlyRow(rows, 'svc_record_attempt').recorded;
}

/**
 * Sends a settled delivery on its way again, from its first attempt, under its id.
 *
 * @returns null when there is no such delivery of the run, or it is not settled
 */
export async function resendDelivery(
  tx: TenantTransaction,
  { runId, deliveryId }: Pick<DeliveryWay, 'runId' | 'deliveryId'>,
): Promise<DeliveryEntity | null> {
  const settled = { id: deliveryId, session_id: runId, status: In<DeliveryStatus>(['delivered', 'failed']) };
  const row = await updateRow(tx, DeliveryEntity, settled, {
    status: 'pending',
    attempts: 0,
    resends: () => 'resends + 1',
    next_attempt_at: CLOCK,
    last_error: null,
    payload_digest: null,
    delivered_at: null,
    updated_at: CLOCK,
  });
  if (row !== null) await tx.enqueue(runId, 'deliveries_due');
  return row;
}
