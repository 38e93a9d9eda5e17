import type pg from 'pg';
import { SandgateError } from '../../domain/errors.js';
import { isUniqueViolation, translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** Width of the range of host uids that sandboxes get, one per live run (docs/design/sandbox.md). */
export const SANDBOX_UID_COUNT = 4096;
const ATTEMPTS = 8;

/** Hands out host uids, one per live run; the same run gets the same one again. */
export class SandboxUids {
  constructor(
    private readonly pool: pg.Pool,
    private readonly hostId: string,
    private readonly base: number,
    private readonly count: number = SANDBOX_UID_COUNT,
  ) {}

  /** Of no run: it fetches repositories from code hosts. */
  get fetchUid(): number {
    return this.base + SANDBOX_UID_COUNT;
  }

  /** @throws SandgateError `out_of_capacity` when every uid of the range is taken */
  async claim(runId: string): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const uid = await this.tryClaim(runId);
      if (uid === 'none') break;
      if (uid !== 'raced') return uid;
    }
    throw new SandgateError(
      'out_of_capacity',
      `no free sandbox uid among ${this.count} from ${this.base} on this host`,
    );
  }

  async release(runId: string): Promise<void> {
    await translateDatabaseErrors(() => this.pool.query('delete from sandbox_uids where session_id = $1', [runId]));
  }

  private async tryClaim(runId: string): Promise<number | 'none' | 'raced'> {
    try {
      const { rows } = await this.pool.query<{ uid: number }>(
        `with held as (select uid from sandbox_uids where session_id = $2),
         free as (
           select candidate as uid from generate_series($3::int, $3::int + $4::int - 1) candidate
           where not exists (select from held)
             and not exists (select from sandbox_uids u where u.host_id = $1 and u.uid = candidate)
           order by candidate limit 1
         ),
         made as (insert into sandbox_uids (uid, host_id, session_id) select uid, $1, $2 from free returning uid)
         select uid from held union all select uid from made`,
        [this.hostId, runId, this.base, this.count],
      );
      return rows[0]?.uid ?? 'none';
    } catch (error) {
      // Another run took the same number at this moment: look for the next one.
      if (isUniqueViolation(error)) return 'raced';
      return translateDatabaseErrors(() => Promise.reject(error as Error));
    }
  }
}
