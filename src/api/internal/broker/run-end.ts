import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../core/record/database.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';
import { ApiConfig } from '../../foundation/foundation.module.js';

/** A run, as a waiting call knows it. */
export interface WaitedRun {
  organizationId: string;
  runId: string;
}

/** Tells callers that wait for something else when their run has ended. The row is the truth; a wake-up shortens the pause between two reads. */
@Injectable()
export class RunEnd {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
  ) {}

  /** Resolves with true when the run accepts no more work, with false when `signal` aborts first. */
  async reached(run: WaitedRun, signal: AbortSignal): Promise<boolean> {
    const { wakeups } = this.database;
    while (!signal.aborted) {
      const notice = new AbortController();
      const wake = (): void => notice.abort();
      const stop = wakeups.onApproval(run.runId, wake);
      try {
        if (!(await this.acceptsWork(run))) return true;
        await pause(this.config.timing.tailRereadMs, AbortSignal.any([signal, notice.signal]));
      } finally {
        stop();
      }
    }
    return false;
  }

  private acceptsWork({ organizationId, runId }: WaitedRun): Promise<boolean> {
    return this.database.withTenant(organizationId, (tx) => runAcceptsWork(tx, runId));
  }
}

async function pause(ms: number, until: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: until }).catch((error: unknown) => {
    if (!until.aborted) throw error;
  });
}
