import type pg from 'pg';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** A machine that runs sandboxes. The id is a UUID kept in its data folder. */
export interface Host {
  id: string;
  name: string;
  /** How many runs it takes at once. */
  capacity: number;
  /** Name of the sandbox provider that it chose, for example `bubblewrap`. */
  provider: string;
  /** Ids of the harnesses that it can run: those of Sandgate itself, and those whose program is installed there. */
  harnesses: string[];
  lastSeenAt: Date;
}

/** Runs one statement, in whatever transaction its caller has open. */
export type RowsOf = <Row extends object>(sql: string, values: unknown[]) => Promise<Row[]>;

/** Registers the host or refreshes it. */
export async function seeHost(pool: pg.Pool, host: Omit<Host, 'lastSeenAt'>): Promise<void> {
  await translateDatabaseErrors(() =>
    pool.query(
      `insert into hosts (id, name, capacity, provider, harnesses) values ($1, $2, $3, $4, $5)
       on conflict (id) do update set name = excluded.name, capacity = excluded.capacity, provider = excluded.provider,
         harnesses = excluded.harnesses, last_seen_at = clock_timestamp()`,
      [host.id, host.name, host.capacity, host.provider, host.harnesses],
    ),
  );
}

/** Hosts seen within the last `withinSecs`, by the database's clock. */
export async function listHosts(pool: pg.Pool, withinSecs: number): Promise<Host[]> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{
      id: string;
      name: string;
      capacity: number;
      provider: string;
      harnesses: string[];
      last_seen_at: Date;
    }>(
      `select id, name, capacity, provider, harnesses, last_seen_at from hosts
       where last_seen_at > clock_timestamp() - make_interval(secs => $1) order by id`,
      [withinSecs],
    ),
  );
  return rows.map(({ last_seen_at, ...row }) => ({ ...row, lastSeenAt: last_seen_at }));
}

/** Names of the providers of the hosts that were seen within the last `withinSecs`; null when there is none. */
export async function readProviders(pool: pg.Pool, withinSecs: number): Promise<string | null> {
  const { rows } = await pool.query<{ provider: string | null }>(
    `select string_agg(distinct provider, ', ') as provider from hosts where last_seen_at > now() - make_interval(secs => $1)`,
    [withinSecs],
  );
  return rows[0]?.provider ?? null;
}

/**
 * Harnesses that runs can be placed for: those of the hosts seen within the last `withinSecs`, or of all known ones while none is
 * online, since a run that is created then waits for one.
 */
export async function listRunnableHarnesses(rowsOf: RowsOf, withinSecs: number): Promise<string[]> {
  const rows = await translateDatabaseErrors(() =>
    rowsOf<{ harness: string }>(
      `with known as (select harnesses, last_seen_at > clock_timestamp() - make_interval(secs => $1) as online from hosts)
       select distinct unnest(harnesses) as harness from known where online or not exists (select from known where online)`,
      [withinSecs],
    ),
  );
  return rows.map(({ harness }) => harness);
}

/** Records what a host has before its next report says so. @returns whether the host is known */
export async function noteHarnesses(rowsOf: RowsOf, hostId: string, harnesses: string[]): Promise<boolean> {
  const rows = await translateDatabaseErrors(() =>
    rowsOf<{ id: string }>(
      'with noted as (update hosts set harnesses = $2 where id = $1 returning id) select id from noted',
      [hostId, harnesses],
    ),
  );
  return rows.length === 1;
}
