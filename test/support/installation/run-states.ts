import pg from 'pg';

/** Of the network and of PostgreSQL, for a server that is dying or starting. */
const AWAY = /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|57P0[123])$/;

/** Connections are kept between two looks, and not beyond the last of them. */
const KEPT_MS = 2_000;

/**
 * How the runs of an installation stand, read from its record. Whoever waits for a run looks many times, and to ask the API costs seven
 * milliseconds of the processor each time.
 */
export class RunStates {
  private readonly pool: pg.Pool;

  /** @param folder of the socket of its PostgreSQL server */
  constructor(folder: string) {
    this.pool = poolOfOwner(folder);
  }

  /** Whether its status is one of them. Not while the server is away; of a run that there is not, the API has something to say. */
  async isOneOf(run: string, statuses: readonly string[]): Promise<boolean> {
    const rows = await this.query<{ status: string }>('select status from sessions where id = $1', run);
    return rows !== undefined && rows.every(({ status }) => statuses.includes(status));
  }

  /** Whether it waits for a human. Not while the server is away. */
  async isAsking(run: string): Promise<boolean> {
    const rows = await this.query("select 1 from approvals where session_id = $1 and status = 'pending' limit 1", run);
    return rows?.length === 1;
  }

  private async query<Row extends object>(sql: string, run: string): Promise<Row[] | undefined> {
    try {
      return (await this.pool.query<Row>(sql, [run])).rows;
    } catch (cause) {
      if (!isAway(cause)) throw cause;
      return undefined;
    }
  }
}

/**
 * Connections to the PostgreSQL server of an installation with the rights of its owner. Nobody need end them.
 * @param folder of its socket
 */
export function poolOfOwner(folder: string): pg.Pool {
  const owner = { host: folder, user: 'sandgate', database: 'sandgate' };
  const pool = new pg.Pool({ ...owner, max: 4, idleTimeoutMillis: KEPT_MS, allowExitOnIdle: true });
  // A server that is killed ends the connections that nobody uses, too.
  pool.on('error', () => undefined);
  return pool;
}

/** Whether it says that the server is dying or starting. */
export function isAway(cause: unknown): boolean {
  const { code, message } = cause as { code?: string; message?: string };
  return code === undefined ? message === 'Connection terminated unexpectedly' : AWAY.test(code);
}
