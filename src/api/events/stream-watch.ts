import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { Database } from '../../core/record/database.js';
import { isVisible } from '../../core/runs/visible-runs.js';
import type { UserPrincipal } from '../auth/principal.js';
import { reauthorize } from '../auth/reauthorize.js';
import { runViewerOf } from '../auth/run-viewer.js';
import { ApiConfig } from '../foundation/foundation.module.js';

/** Whoever lost a right follows a run for a minute longer at most (docs/design/identity.md). */
const LONGEST_MS = 60_000;

/** Milliseconds between two questions, for an interval as it is configured. */
export function askedEveryMs(reauthSecs: number): number {
  return Math.min(reauthSecs * 1000, LONGEST_MS);
}

/**
 * Asks, while a person follows a run, whether they still may: their credential lives, and their roles of this moment show the run. No
 * answer of the database ends the stream as well.
 */
@Injectable()
export class StreamWatch {
  private readonly everyMs: number;
  /** A database that does not answer for so long is one that refuses. */
  private readonly answerWithinMs: number;

  constructor(
    private readonly database: Database,
    private readonly logger: PinoLogger,
    { auth, timing }: ApiConfig,
  ) {
    this.everyMs = askedEveryMs(auth.sessionReauthSecs);
    this.answerWithinMs = timing.reauthAnswerMs;
  }

  /**
   * @param end called once, when the person may not follow the run any more
   * @returns stops asking
   */
  start(principal: UserPrincipal, runId: string, end: () => void): () => void {
    let timer: NodeJS.Timeout | null = null;
    let stopped = false;
    const ask = async (): Promise<void> => {
      const may = await this.mayFollow(principal, runId);
      if (stopped) return;
      if (may) again();
      else end();
    };
    const again = (): void => {
      timer = setTimeout(() => void ask(), this.everyMs);
    };
    again();
    return () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    };
  }

  private async mayFollow(principal: UserPrincipal, runId: string): Promise<boolean> {
    const timeout = new AbortController();
    try {
      const late = delay(this.answerWithinMs, 'late' as const, { signal: timeout.signal, ref: false });
      const answer = await Promise.race([this.read(principal, runId), late.catch(() => 'late' as const)]);
      if (answer === 'late')
        this.logger.warn({ runId }, 'who follows a run could not be asked in time; the stream ends');
      return answer === true;
    } catch (error) {
      this.logger.warn({ err: error, runId }, 'who follows a run could not be asked; the stream ends');
      return false;
    } finally {
      timeout.abort();
    }
  }

  private read(principal: UserPrincipal, runId: string): Promise<boolean> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const now = await reauthorize(tx, principal);
      return now?.permissions.has('sessions.read') === true && (await isVisible(tx, runViewerOf(now), runId));
    });
  }
}
