import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PinoLogger } from 'nestjs-pino';
import { Database } from '../../../core/record/database.js';
import { recordReachedLimit, type RunnerLimit } from '../../../core/runs/reached-limits.js';
import { findRuns } from '../../../core/maintenance/sweeps.js';

const MAX_REMEMBERED = 50_000;

/** Writes `run.limit_reached` once per run and limit, however often the limit is hit. */
@Injectable()
export class LimitBreaches {
  private readonly noted = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(
    private readonly database: Database,
    private readonly logger: PinoLogger,
  ) {}

  /** Notes a breach. Never waits and never fails: the caller is about to refuse a request. */
  note(runId: string, limit: RunnerLimit): void {
    const key = `${runId}:${limit}`;
    if (this.noted.has(key)) return;
    this.noted.set(key, true);
    this.record(runId, limit).catch((error: unknown) => {
      this.noted.delete(key);
      this.logger.warn({ err: error, runId, limit }, 'a breached limit could not be recorded');
    });
  }

  private async record(runId: string, limit: RunnerLimit): Promise<void> {
    const [run] = await findRuns(this.database.pool, [runId]);
    if (run === undefined) return;
    await this.database.withTenant(run.organizationId, (tx) => recordReachedLimit(tx, runId, limit));
  }
}
