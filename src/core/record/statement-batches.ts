import type pg from 'pg';
import { onlyRow, queryRow, queryRows } from './query-row.js';
import { SharedStatements } from './shared-statements.js';

/** A call of a hot-path function for one run. Arguments are the members of the SQL type `svc_<kind>_call`. */
export interface BatchedCall {
  kind: 'gate' | 'reserve' | 'settle';
  organizationId: string;
  runId: string;
  arguments: object;
}

interface Querying {
  query<R extends object>(sql: string, params?: unknown[]): Promise<R[]>;
}

const NAME = 'svc_batch_calls';
const SQL = 'select svc_batch_calls($1, $2::uuid[], $3::jsonb, $4) as answer';

/**
 * Hot-path calls of an organization, which share statements. It has one under way: with two, its calls would pay twice the fixed cost of
 * a statement. Each call is answered after the commit that contains it and fails alone: a run that somebody else has
 * locked, or a call that raises an error, delays no other call, because it is made again in a statement of its own.
 */
export class StatementBatches {
  private readonly shared: SharedStatements<BatchedCall, object>;

  constructor(pool: pg.Pool) {
    this.shared = new SharedStatements({
      together: (_organization, calls) => together(pool, calls),
      alone: (_organization, call) => alone(pool, call),
      // Beyond this, the delay of a call costs more than the commit that it saves.
      items: 64,
      // While one waits for the disk, another computes.
      atOnce: 2,
    });
  }

  /** @returns the row that the SQL function answered, as JSON: numbers for bigints, ISO 8601 texts for times */
  async make<A extends object>(call: BatchedCall): Promise<A> {
    return (await this.shared.make(call.organizationId, call)) as A;
  }
}

/** Makes a call in the open transaction of its organization. @returns as `StatementBatches.make` */
export async function makeWithin<A extends object>(tx: Querying, call: BatchedCall): Promise<A> {
  return onlyRow(await tx.query<{ answer: A }>(SQL, values([call], true)), NAME).answer;
}

/** Undefined for the call of a run that somebody else has locked. */
async function together(pool: pg.Pool, calls: BatchedCall[]): Promise<(object | undefined)[]> {
  const rows = await queryRows<{ answer: object | null }>(pool, {
    name: NAME,
    text: SQL,
    values: values(calls, false),
  });
  return rows.map(({ answer }) => answer ?? undefined);
}

async function alone(pool: pg.Pool, call: BatchedCall): Promise<object> {
  return (await queryRow<{ answer: object }>(pool, { name: NAME, text: SQL, values: values([call], true) })).answer;
}

/** `waits`: for a run that somebody else has locked; only a call by itself may. */
function values(calls: BatchedCall[], waits: boolean): unknown[] {
  const list = JSON.stringify(calls.map((call) => [call.kind, call.arguments]));
  return [calls[0]?.organizationId, calls.map((call) => call.runId), list, waits];
}
