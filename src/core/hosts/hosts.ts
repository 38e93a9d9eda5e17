import type pg from 'pg';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';
import { onlyRow, queryRows } from '../record/query-row.js';

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
  await queryRows(pool, {
    text: 'select svc_see_host($1, $2, $3, $4, $5)',
    values: [host.id, host.name, host.capacity, host.provider, host.harnesses],
  });
}

/** Hosts seen within the last `withinSecs`, by the database's clock. */
export async function listHosts(pool: pg.Pool, withinSecs: number): Promise<Host[]> {
  const rows = await queryRows<Omit<Host, 'lastSeenAt'> & { last_seen_at: Date }>(pool, {
    text: 'select * from svc_list_hosts($1)',
    values: [withinSecs],
  });
  return rows.map(({ last_seen_at, ...row }) => ({ ...row, lastSeenAt: last_seen_at }));
}

/** Names of the providers of the hosts that were seen within the last `withinSecs`; null when there is none. */
export async function readProviders(pool: pg.Pool, withinSecs: number): Promise<string | null> {
  const providers = new Set((await listHosts(pool, withinSecs)).map(({ provider }) => provider));
  return providers.size === 0 ? null : [...providers].sort().join(', ');
}

/**
 * Harnesses that runs can be placed for: those of the hosts seen within the last `withinSecs`, or of all known ones while none is
 * online, since a run that is created then waits for one.
 */
export async function listRunnableHarnesses(rowsOf: RowsOf, withinSecs: number): Promise<string[]> {
  const rows = await translateDatabaseErrors(() =>
    rowsOf<{ harness: string }>('select svc_list_runnable_harnesses($1) as harness', [withinSecs]),
  );
  return rows.map(({ harness }) => harness);
}

/** Records what a host has before its next report says so. @returns whether the host is known */
export async function noteHarnesses(rowsOf: RowsOf, hostId: string, harnesses: string[]): Promise<boolean> {
  const rows = await translateDatabaseErrors(() =>
    rowsOf<{ known: boolean }>('select svc_note_harnesses($1, $2) as known', [hostId, harnesses]),
  );
  return onlyRow(rows, 'svc_note_harnesses').known;
}
