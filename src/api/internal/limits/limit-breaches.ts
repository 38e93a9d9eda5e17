import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { Database } from '../../../core/record/database.js';
import { findRuns } from '../../../core/maintenance/sweeps.js';

/** Every limit of the runner plane that a run can hit (04-sandbox §6), as `run.limit_reached` names it. */
export type PlaneLimit =
  | 'connections'
  | 'headers'
  | 'parked_permissions'
  | 'pending_approvals'
  | 'event_rate'
  | 'event_size'
  | 'event_count'
  | 'ledger_size'
  | 'model_requests'
  | 'brokered_calls';

const MAX_REMEMBERED = 50_000;

/** Writes `run.limit_reached` once per run and limit, however often the limit is hit. */
@Injectable()
export class LimitBreaches {
  private readonly noted = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly logger: PinoLogger,
  ) {}

  /** Notes a breach. Never waits and never fails: the caller is about to refuse a request. */
  note(sessionId: string, limit: PlaneLimit): void {
    const key = `${sessionId}:${limit}`;
    if (this.noted.has(key)) return;
    if (this.noted.size >= MAX_REMEMBERED) this.noted.clear();
    this.noted.add(key);
    this.record(sessionId, limit).catch((error: unknown) => {
      this.noted.delete(key);
      this.logger.warn({ err: error, runId: sessionId, limit }, 'a breached limit could not be recorded');
    });
  }

  private async record(sessionId: string, limit: PlaneLimit): Promise<void> {
    const [run] = await findRuns(this.database.pool, [sessionId]);
    if (run === undefined) return;
    await this.database.withTenant(run.organizationId, async (tx) => {
      // The head row is what appends lock; holding it keeps another process from writing the same line.
      await tx.query('select 1 from session_heads where session_id = $1 for no key update', [sessionId]);
      const known = await tx.query(
        `select 1 from events where session_id = $1 and type = 'run.limit_reached' and payload -> 'data' ->> 'limit' = $2 limit 1`,
        [sessionId, limit],
      );
      if (known.length > 0) return;
      await tx.append(sessionId, [{ actor: 'system', type: 'run.limit_reached', data: { limit } }]);
    });
  }
}
