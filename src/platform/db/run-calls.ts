import pg from 'pg';
import { translateDatabaseErrors } from './database-errors.js';

/** A call of a hot-path function for one run. Arguments are the members of the SQL type `svc_<kind>_call`. */
export interface RunCall<A> {
  kind: 'gate' | 'reserve' | 'settle';
  organizationId: string;
  sessionId: string;
  arguments: object;
  /** Makes the call in a statement of its own, when others hold its run or the grouped form does not know its case. */
  alone: () => Promise<A>;
}

interface Waiting {
  call: RunCall<unknown>;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

/** Round trips under way at once, each for runs of its own: while one waits for the disk, the others compute. */
const LANES = 2;
/** Calls of one statement. One that is answered later than it could be costs more than the commit that it saves. */
const MAX_GROUP = 64;

const SQL = 'select svc_run_calls($1, $2::uuid[], $3::jsonb) as answer';

/**
 * Hot-path calls, grouped: a call that finds its lane free leaves at once; those that arrive while it is on its way leave
 * together when it is back, one organization at a time. Each is answered after the commit that holds it and fails alone: a run
 * that somebody else has locked and a call that raises an error hold nobody up, because those are made again by themselves.
 */
export class RunCalls {
  private readonly lanes: Lane[];

  constructor(pool: pg.Pool) {
    this.lanes = Array.from({ length: LANES }, () => new Lane(pool));
  }

  /** @returns the row that the SQL function answered, as JSON: numbers for bigints, ISO 8601 texts for times */
  make<A extends object>(call: RunCall<A>): Promise<A> {
    // Calls of one run take the same lane, where they meet in one statement instead of at the row lock of the run.
    const lane = this.lanes[Number.parseInt(call.sessionId.slice(-4), 16) % LANES]!;
    return new Promise<A>((resolve, reject) => lane.add({ call, resolve: (answer) => resolve(answer as A), reject }));
  }
}

class Lane {
  private readonly waiting = new Map<string, Waiting[]>();
  private underWay = false;

  constructor(private readonly pool: pg.Pool) {}

  add(call: Waiting): void {
    const { organizationId } = call.call;
    const others = this.waiting.get(organizationId);
    if (others === undefined) this.waiting.set(organizationId, [call]);
    else others.push(call);
    if (!this.underWay) this.next();
  }

  private next(): void {
    const [first] = this.waiting;
    this.underWay = first !== undefined;
    if (first === undefined) return;
    const [organizationId, calls] = first;
    this.waiting.delete(organizationId);
    // What does not fit goes behind the other organizations.
    if (calls.length > MAX_GROUP) this.waiting.set(organizationId, calls.splice(MAX_GROUP));
    void this.send(calls).finally(() => this.next());
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

  /** On a connection of its own, where it may wait for the run while the lane goes on. */
  private sendAlone({ call, resolve, reject }: Waiting): void {
    call.alone().then(resolve, reject);
  }
}

async function query(pool: pg.Pool, calls: Waiting[]): Promise<unknown[]> {
  const sessions = calls.map(({ call }) => call.sessionId);
  const list = JSON.stringify(calls.map(({ call }) => [call.kind, call.arguments]));
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ answer: unknown }>({
      name: 'svc_run_calls',
      text: SQL,
      values: [calls[0]?.call.organizationId, sessions, list],
    }),
  );
  return rows.map((row) => row.answer);
}

/** Whether the server refused the statement, so that nothing of it stands; a server or a connection that went away leaves that open. */
function wasUndone(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof pg.DatabaseError && !/^(08|57P|58|XX)/.test(cause.code ?? '');
}
