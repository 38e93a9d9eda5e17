import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';
import { Database } from '../../core/record/database.js';
import { requestFinalization } from '../../core/finalization/finalization-requests.js';
import { findSessions, queuePosition, type SessionFilter } from '../../core/runs/find-sessions.js';
import { requireVisible, requireVisibleRun } from '../../core/runs/visible-runs.js';
import { managesOrganization } from '../../core/connections/viewer.js';
import type { SessionEntity } from '../../core/runs/session.entity.js';
import { userIdOf, viewerOf, type Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';
import type { CancelAnswer, SessionRead, SessionView } from './sessions.dto.js';
import { readUsage } from '../../core/budgets/usage.js';
import type { UsageTotals } from './usage.dto.js';
import { viewSession, viewSessions } from './view-sessions.js';

/** Reads the runs that the caller sees, and asks one to stop (docs/design/runs.md, docs/design/identity.md). */
@Injectable()
export class SessionsService {
  constructor(private readonly database: Database) {}

  list(principal: Principal, filter: SessionFilter): Promise<SessionView[]> {
    return this.database.withTenant(principal.organizationId, async (tx) =>
      viewSessions(tx, await findSessions(tx, runViewerOf(principal), filter)),
    );
  }

  /** @throws SandgateError `not_found` */
  read(principal: Principal, id: string): Promise<SessionRead> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const session = await requireVisibleRun(tx, runViewerOf(principal), id);
      const position = await queuePosition(tx, session);
      return {
        session: await viewSession(tx, session),
        usage: await readUsage(tx, id),
        ...(position === undefined ? {} : { queue_position: position }),
      };
    });
  }

  /** @throws SandgateError `not_found` */
  cost(principal: Principal, id: string): Promise<UsageTotals> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      await requireVisible(tx, runViewerOf(principal), id);
      return readUsage(tx, id);
    });
  }

  /**
   * Records the request to stop before it answers, so that an acknowledged cancel survives the loss of every process.
   * @throws SandgateError `not_found`; `forbidden` for who sees the run and may not stop it (CP-182); `unavailable` when it could
   * not be recorded, and a retry is safe
   */
  async cancel(principal: Principal, id: string): Promise<CancelAnswer> {
    try {
      return await this.database.withTenant(principal.organizationId, async (tx) => {
        requireMayStop(principal, await requireVisibleRun(tx, runViewerOf(principal), id));
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

/** Seeing a run does not imply stopping it: its invoker stops it, and who manages the organization. */
function requireMayStop(principal: Principal, run: Pick<SessionEntity, 'invoked_by_user_id'>): void {
  if (managesOrganization(viewerOf(principal)) || run.invoked_by_user_id === userIdOf(principal)) return;
  throw new SandgateError('forbidden', 'stopping a run that somebody else started needs the role admin or owner');
}
