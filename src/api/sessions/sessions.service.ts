import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';
import { Database } from '../../core/record/database.js';
import { requestFinalization } from '../../core/finalization/finalization-requests.js';
import { findSessions, queuePosition, type SessionFilter } from '../../core/runs/find-sessions.js';
import { requireSession, requireSessionExists, viewSession, viewSessions } from './session-lookup.js';
import type { CancelAnswer, SessionRead, SessionView } from './sessions.dto.js';
import { readUsage } from '../../core/budgets/usage.js';
import type { UsageTotals } from './usage.dto.js';

/** Reads runs, and asks one to stop (docs/design/runs.md). */
@Injectable()
export class SessionsService {
  constructor(private readonly database: Database) {}

  list(organizationId: string, filter: SessionFilter): Promise<SessionView[]> {
    return this.database.withTenant(organizationId, async (tx) => viewSessions(tx, await findSessions(tx, filter)));
  }

  read(organizationId: string, id: string): Promise<SessionRead> {
    return this.database.withTenant(organizationId, async (tx) => {
      const session = await requireSession(tx, id);
      const position = await queuePosition(tx, session);
      return {
        session: await viewSession(tx, session),
        usage: await readUsage(tx, id),
        ...(position === undefined ? {} : { queue_position: position }),
      };
    });
  }

  cost(organizationId: string, id: string): Promise<UsageTotals> {
    return this.database.withTenant(organizationId, async (tx) => {
      await requireSessionExists(tx, id);
      return readUsage(tx, id);
    });
  }

  /**
   * Records the request to stop before it answers, so that an acknowledged cancel survives the loss of every process.
   * @throws SandgateError `unavailable` when it could not be recorded; a retry is safe.
   */
  async cancel(organizationId: string, id: string): Promise<CancelAnswer> {
    try {
      return await this.database.withTenant(organizationId, async (tx) => {
        await requireSessionExists(tx, id);
        const recorded = await requestFinalization(tx, id, {
          outcome: 'cancelled',
          reason: 'cancelled by user',
          wantsQuiesce: true,
        });
        return { cancelled: recorded !== 'terminal' };
      });
    } catch (error) {
      if (error instanceof SandgateError) throw error;
      throw new SandgateError('unavailable', 'the cancellation could not be recorded; try again', {
        cause: error,
        retryAfterSeconds: 1,
      });
    }
  }
}
