import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { makeEventBody, type EventBody } from '../../domain/ledger/event-body.js';

/**
 * Marks the places of an event's data that the database fills in (a deadline by its own clock, a sum). Random per process,
 * so that no text of an agent can hold it.
 */
export const LATE_VALUE = `svc-late-${randomBytes(12).toString('hex')}`;

/** Arguments of the SQL functions that append: bodies, and digests that are null where a late value is filled in. */
export interface BodyArguments {
  bodies: string[];
  digests: (string | null)[];
}

export function bodyArguments(events: NewEvent[]): BodyArguments {
  const made = events.map(makeEventBody);
  return { bodies: made.map((body) => body.text), digests: made.map(digestUnlessLate) };
}

function digestUnlessLate(body: EventBody): string | null {
  return body.text.includes(LATE_VALUE) ? null : body.digest;
}

interface Querying {
  query<R extends object>(sql: string, params?: unknown[]): Promise<R[]>;
}

/** Appends in the open transaction of the caller. @returns the sequence numbers, in order */
export async function appendEvents(tx: Querying, runId: string, events: NewEvent[]): Promise<number[]> {
  const { bodies, digests } = bodyArguments(events);
  const [row] = await tx.query<{ last: string }>('select svc_append($1, $2::text[], $3::text[]) as last', [
    runId,
    bodies,
    digests,
  ]);
  return sequence(Number(row?.last), events.length);
}

/** Appends in a transaction of its own, in one round trip. @returns the sequence numbers, in order */
export async function appendAlone(
  pool: pg.Pool,
  organizationId: string,
  runId: string,
  events: NewEvent[],
): Promise<number[]> {
  const { bodies, digests } = bodyArguments(events);
  const { rows } = await pool.query<{ last: string }>({
    name: 'svc_append_alone',
    text: 'select svc_append_alone($1, $2, $3::text[], $4::text[]) as last',
    values: [organizationId, runId, bodies, digests],
  });
  return sequence(Number(rows[0]?.last), events.length);
}

function sequence(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => last - count + 1 + index);
}
