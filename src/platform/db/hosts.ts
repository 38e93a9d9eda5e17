import type pg from 'pg';
import { translateDatabaseErrors } from './database-errors.js';

/** A machine that runs sandboxes. The id is a UUID kept in its data folder. */
export interface Host {
  id: string;
  name: string;
  /** How many runs it takes at once. */
  capacity: number;
  /** Name of the sandbox provider that it chose, for example `bubblewrap`. */
  provider: string;
  lastSeenAt: Date;
}

/** Registers the host or refreshes it. */
export async function seeHost(pool: pg.Pool, host: Omit<Host, 'lastSeenAt'>): Promise<void> {
  await translateDatabaseErrors(() =>
    pool.query(
      `insert into hosts (id, name, capacity, provider) values ($1, $2, $3, $4)
       on conflict (id) do update set name = excluded.name, capacity = excluded.capacity, provider = excluded.provider,
         last_seen_at = clock_timestamp()`,
      [host.id, host.name, host.capacity, host.provider],
    ),
  );
}

/** Hosts seen within the last `withinSecs`, by the database's clock. */
export async function listHosts(pool: pg.Pool, withinSecs: number): Promise<Host[]> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ id: string; name: string; capacity: number; provider: string; last_seen_at: Date }>(
      `select id, name, capacity, provider, last_seen_at from hosts
       where last_seen_at > clock_timestamp() - make_interval(secs => $1) order by id`,
      [withinSecs],
    ),
  );
  return rows.map(({ last_seen_at, ...row }) => ({ ...row, lastSeenAt: last_seen_at }));
}
