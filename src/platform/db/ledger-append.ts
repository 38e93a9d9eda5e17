import { randomBytes } from 'node:crypto';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { makeEventBody, type EventBody } from '../../domain/ledger/event-body.js';

/**
 * Stands in an event's data where the database fills a value in (a deadline by its own clock, a sum). Random per process,
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

export async function appendEvents(tx: Querying, sessionId: string, events: NewEvent[]): Promise<number[]> {
  const { bodies, digests } = bodyArguments(events);
  const [row] = await tx.query<{ last: string }>('select svc_append($1, $2::text[], $3::text[]) as last', [
    sessionId,
    bodies,
    digests,
  ]);
  const last = Number(row?.last);
  return events.map((_, index) => last - events.length + 1 + index);
}
