import type pg from 'pg';
import { SandgateError } from '../../domain/errors.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { queryRow, queryRows } from '../record/query-row.js';

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
    await queryRows(this.pool, { text: 'select svc_release_sandbox_uid($1)', values: [runId] });
  }

  private async tryClaim(runId: string): Promise<number | 'none' | 'raced'> {
    try {
      const { uid } = await queryRow<{ uid: number | null }>(this.pool, {
        text: 'select svc_claim_sandbox_uid($1, $2, $3, $4) as uid',
        values: [this.hostId, runId, this.base, this.count],
      });
      return uid ?? 'none';
    } catch (error) {
      // Another run took the same number at this moment: look for the next one.
      if (isUniqueViolation(error)) return 'raced';
      throw error;
    }
  }
}
