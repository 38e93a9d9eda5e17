import type { EventActor, LedgerEvent } from '../../domain/events/event-kinds.js';
import type { JsonObject } from '../../domain/json.js';
import type { OrganizationTransaction } from '../../platform/postgres/postgres.js';

interface EventRow {
  event_id: string;
  seq: string;
  actor: EventActor;
  type: string;
  payload: { type: string; data: JsonObject };
  occurred_at: Date;
}

/**
 * The one query behind polling and streaming, so that a client may change between them at any event: those of the run
 * whose seq is strictly greater than `after` (the decimal text of an int64), ascending.
 */
export async function readEventsAfter(
  tx: OrganizationTransaction,
  runId: string,
  after: string,
  limit: number,
): Promise<LedgerEvent[]> {
  const rows = await tx.query<EventRow>('select * from svc_read_events_after($1, $2::bigint, $3)', [
    runId,
    after,
    limit,
  ]);
  return rows.map((row) => ({
    event_id: row.event_id,
    session_id: runId,
    seq: Number(row.seq),
    actor: row.actor,
    type: row.type,
    payload: row.payload,
    occurred_at: row.occurred_at.toISOString(),
  }));
}

/**
 * Highest seq of the run, or null when the organization has no such run.
 *
 * @param invokedBy only where this user started it; null for anybody's
 */
export async function readHeadSeq(
  tx: OrganizationTransaction,
  runId: string,
  invokedBy: string | null,
): Promise<number | null> {
  const [row] = await tx.query<{ seq: string | null }>('select svc_read_head_seq($1, $2) as seq', [runId, invokedBy]);
  return row?.seq == null ? null : Number(row.seq);
}

/** The reason that an event gives; null when it gives none, or is not there. */
export async function readEventReason(tx: OrganizationTransaction, runId: string, seq: number): Promise<string | null> {
  const [event] = await tx.query<{ reason: string | null }>('select svc_read_event_reason($1, $2) as reason', [
    runId,
    seq,
  ]);
  return event?.reason ?? null;
}
