import { digestOf } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { TenantTransaction } from '../record/database.js';

/** How much a runner may tell of one run. */
export interface RunnerEventLimits {
  runnerEvents: number;
  ledgerBytes: number;
}

export type StoredRunnerEvent = { seq: number; full?: undefined } | { full: 'event_count' | 'ledger_size' };

/**
 * Appends a line of a runner's narrative; under a key that the run used before, it answers what was stored then.
 *
 * @throws SandgateError `conflict` for a key that was used with another event, `not_found`
 */
export async function storeRunnerEvent(
  tx: TenantTransaction,
  sessionId: string,
  { key, event }: { key: string | null; event: NewEvent },
  limits: RunnerEventLimits,
): Promise<StoredRunnerEvent> {
  if (key !== null) {
    const earlier = await claimKey(tx, sessionId, key, event);
    if (earlier !== null) return { seq: earlier };
  }
  const full = await countEvent(tx, sessionId, limits);
  if (full !== null) return { full };
  const [seq] = await tx.append(sessionId, [event]);
  if (seq === undefined) throw new SandgateError('internal', 'internal error');
  if (key !== null) await keepAnswer(tx, sessionId, key, seq);
  return { seq };
}

/** Counts one event against the totals of the run; the limit that it would exceed, or null. */
async function countEvent(
  tx: TenantTransaction,
  sessionId: string,
  { runnerEvents, ledgerBytes }: RunnerEventLimits,
): Promise<'event_count' | 'ledger_size' | null> {
  const [head] = await tx.query<{ runner_events: number; ledger_bytes: string }>(
    'select runner_events, ledger_bytes from session_heads where session_id = $1 for no key update',
    [sessionId],
  );
  if (head === undefined) throw new SandgateError('not_found', 'not found');
  if (head.runner_events >= runnerEvents) return 'event_count';
  if (Number(head.ledger_bytes) >= ledgerBytes) return 'ledger_size';
  await tx.query('update session_heads set runner_events = runner_events + 1 where session_id = $1', [sessionId]);
  return null;
}

/** Claims a key of the run; the seq of the event that was stored under it before, or null for the first use. */
async function claimKey(
  tx: TenantTransaction,
  sessionId: string,
  key: string,
  event: NewEvent,
): Promise<number | null> {
  const digest = digestOf({ actor: event.actor, type: event.type, data: event.data });
  const scope = `events:${sessionId}`;
  const claimed = await tx.query(
    `insert into idempotency_keys (tenant_id, scope, key, body_digest, session_id) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, scope, key) do nothing returning key`,
    [tx.organizationId, scope, key, digest, sessionId],
  );
  if (claimed.length > 0) return null;
  const [earlier] = await tx.query<{ body_digest: string; seq: number | null }>(
    `select body_digest, (result ->> 'seq')::int as seq from idempotency_keys where tenant_id = $1 and scope = $2 and key = $3`,
    [tx.organizationId, scope, key],
  );
  if (earlier === undefined || earlier.body_digest !== digest) {
    throw new SandgateError('conflict', 'Idempotency-Key: used before with another event');
  }
  return earlier.seq;
}

async function keepAnswer(tx: TenantTransaction, sessionId: string, key: string, seq: number): Promise<void> {
  await tx.query(`update idempotency_keys set result = $4 where tenant_id = $1 and scope = $2 and key = $3`, [
    tx.organizationId,
    `events:${sessionId}`,
    key,
    JSON.stringify({ seq }),
  ]);
}
