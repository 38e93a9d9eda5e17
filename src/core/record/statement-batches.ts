import pg from 'pg';
import { onlyRow, queryRow, queryRows } from './query-row.js';

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

interface Waiting {
  call: BatchedCall;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

/** Statements under way at once, each of an organization of its own: while one waits for the disk, another computes. */
const MAX_UNDER_WAY = 2;
/** Calls of one statement. Beyond this, the delay of a call costs more than the commit that it saves. */
const MAX_GROUP = 64;

const NAME = 'svc_batch_calls';
const SQL = 'select svc_batch_calls($1, $2::uuid[], $3::jsonb, $4) as answer';

/**
 * Hot-path calls, grouped: the first call of an organization leaves at once; those that arrive while it is on its way leave
 * together when it is back. An organization has one statement under way: with two, its calls would pay twice the fixed cost of a
 * statement. Each call is answered after the commit that contains it and fails alone: a run that somebody else has
 * locked, or a call that raises an error, delays no other call, because it is made again in a statement of its own.
 */
export class StatementBatches {
  /** By organization, the longest waiting first. */
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly underWay = new Set<string>();

  constructor(private readonly pool: pg.Pool) {}

  /** @returns the row that the SQL function answered, as JSON: numbers for bigints, ISO 8601 texts for times */
  make<A extends object>(call: BatchedCall): Promise<A> {
    return new Promise<A>((resolve, reject) => {
      this.add({ call, resolve: (answer) => resolve(answer as A), reject });
      this.next();
    });
  }

  private add(call: Waiting): void {
    const { organizationId } = call.call;
    const others = this.waiting.get(organizationId);
    if (others === undefined) this.waiting.set(organizationId, [call]);
    else others.push(call);
  }

  private next(): void {
    for (const [organizationId, calls] of this.waiting) {
      if (this.underWay.size >= MAX_UNDER_WAY) return;
      if (this.underWay.has(organizationId)) continue;
      this.waiting.delete(organizationId);
      // Calls that do not fit wait behind the other organizations.
      if (calls.length > MAX_GROUP) this.waiting.set(organizationId, calls.splice(MAX_GROUP));
      this.underWay.add(organizationId);
      void this.send(calls).finally(() => {
        this.underWay.delete(organizationId);
        this.next();
      });
    }
  }

  private async send(calls: Waiting[]): Promise<void> {
    try {
      const answers = await query(this.pool, calls);
      calls.forEach((call, index) => {
        const answer = answers[index];
        if (answer === null || answer === undefined) this.sendAlone(call);
        else call.resolve(answer);
      });
    } catch (error) {
      for (const call of calls) {
        if (calls.length > 1 && wasUndone(error)) this.sendAlone(call);
        else call.reject(error);
      }
    }
  }

  /** On a connection of its own, where it may wait for the run while the others go on. */
  private sendAlone({ call, resolve, reject }: Waiting): void {
    queryRow<{ answer: unknown }>(this.pool, { name: NAME, text: SQL, values: values([call], true) }).then(
      (row) => resolve(row.answer),
      reject,
    );
  }
}

/** Makes a call in the open transaction of its organization. @returns as `StatementBatches.make` */
export async function makeWithin<A extends object>(tx: Querying, call: BatchedCall): Promise<A> {
  return onlyRow(await tx.query<{ answer: A }>(SQL, values([call], true)), NAME).answer;
}

async function query(pool: pg.Pool, calls: Waiting[]): Promise<unknown[]> {
  const parameters = values(
    calls.map(({ call }) => call),
    false,
  );
  const rows = await queryRows<{ answer: unknown }>(pool, { name: NAME, text: SQL, values: parameters });
  return rows.map((row) => row.answer);
}

/** `waits`: for a run that somebody else has locked; only a call by itself may. */
function values(calls: BatchedCall[], waits: boolean): unknown[] {
  const list = JSON.stringify(calls.map((call) => [call.kind, call.arguments]));
  return [calls[0]?.organizationId, calls.map((call) => call.runId), list, waits];
}

/** Whether the server refused the statement, so that it had no effect; after a lost connection this is unknown. */
function wasUndone(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof pg.DatabaseError && !/^(08|57P|58|XX)/.test(cause.code ?? '');
}
