import type { BrokeredCallRef, BrokeredOutcome } from '../domain/broker/dispatch.js';
import type { HeadSigner } from '../domain/ledger/signed-head.js';
import { RUN_STATUSES, canMove, parseRunStatus } from '../domain/run/status.js';
import { expireApprovals } from '../core/approvals/approvals.js';
import type { Admission, QueueLimits } from '../core/launch/admission.js';
import { authorizeRun } from '../core/launch/authorization.js';
import { storeMissingDiff } from '../core/artifacts/artifacts.js';
import { admitWaiting } from '../core/runs/capacity.js';
import { forgetCallTexts, giveUpClaims, readStoredClaim } from '../core/broker/claims.js';
import { concludeRun } from '../core/finalization/conclusion.js';
import type { Database, TenantTransaction } from '../core/record/database.js';
import { deleteFinalizationRequest, readFinalizationRequest } from '../core/finalization/finalization-requests.js';
import { signLedgerHead } from '../core/ledger/ledger-heads.js';
import { countLiveReservations, giveUpReservations } from '../core/budgets/reservations.js';
import { moveRun } from '../core/runs/run-moves.js';
import { readRunView, type RunViewRow } from '../core/runs/run-view.js';
import { stopRun } from './run-stops.js';
import { warnWallClock } from '../core/finalization/driver-stops.js';
import type { DriverTiming, RunRecordActivities, RunRef, RunView } from './run-activities.js';

export interface RunRecordDependencies {
  database: Database;
  signer: HeadSigner;
  capacity: QueueLimits;
  launchLimitSecs: number;
  quiesceSecs: number;
  timing: DriverTiming;
  searchAttributesMissing: boolean;
  /** Lets a run in, where there is room ({@link admitRun}). */
  admit(run: RunRef): Promise<Admission>;
}

/** Short steps on the record. Each is one transaction that does nothing when its row has already moved. */
export function createRunRecordActivities(on: RunRecordDependencies): RunRecordActivities {
  const within = <T>(run: RunRef, work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    on.database.withTenant(run.organizationId, work);
  return {
    describeRun: async (run) => {
      const row = await within(run, (tx) =>
        readRunView(tx, run.runId, { launchLimitSecs: on.launchLimitSecs, queueTtlSecs: on.capacity.queueTtlSecs }),
      );
      return row === undefined ? null : toView(row, on);
    },
    admitRun: (run) => on.admit(run),
    authorizeRun: async (run) => ({ state: await within(run, (tx) => authorizeRun(tx, run.runId)) }),
    stopRun: (run, stop) => stopRun(on, run, stop),
    expireApprovals: async (run) => {
      await within(run, (tx) => expireApprovals(tx, run.runId));
    },
    giveUpClaims: async (run, which) => {
      await giveUpClaims(on.database, run, which);
    },
    settleLostCall: (run, call) => settleLostCall(on.database, run, call),
    warnWallClock: (run) => within(run, (tx) => warnWallClock(tx, run.runId)),
    beginQuiesce: (run) => within(run, (tx) => beginQuiesce(tx, run.runId, on.quiesceSecs)),
    beginFinalizing: async (run) => {
      await within(run, (tx) => beginFinalizing(tx, run.runId));
    },
    drainReservations: (run, force) => within(run, (tx) => drainReservations(tx, run.runId, force)),
    recordMissingDiff: (run, reason) => within(run, (tx) => storeMissingDiff(tx, run.runId, reason)),
    concludeRun: async (run) => {
      await within(run, (tx) => concludeRun(tx, run.runId));
      await admitWaiting(on.database, on.capacity);
      await signLedgerHead(on.database, run.organizationId, run.runId, on.signer);
    },
    forgetFinalizationRequest: (run) =>
      within(run, async (tx) => {
        await forgetCallTexts(tx, run.runId);
        await deleteFinalizationRequest(tx, run.runId);
      }),
  };
}

function toView(row: RunViewRow, on: Pick<RunRecordDependencies, 'timing' | 'searchAttributesMissing'>): RunView {
  const finalizationRequest =
    row.requested_outcome === null
      ? null
      : { outcome: row.requested_outcome, msUntilQuiesceDeadline: row.ms_until_quiesce_deadline };
  return {
    status: parseRunStatus(row.status) ?? 'unknown',
    organizationSlug: row.organization_slug,
    agentName: row.agent_name,
    hostId: row.host_id,
    sandboxAttached: row.sandbox_attached,
    pendingApprovals: row.pending_approvals,
    msUntilApprovalExpiry: row.ms_until_approval_expiry,
    msUntilWallClock: row.ms_until_wall_clock,
    msUntilWallClockWarning: row.ms_until_wall_clock_warning,
    msUntilQueueExpiry: row.ms_until_queue_expiry,
    msUntilLaunchDeadline: row.ms_until_launch_deadline,
    setsUp: row.sets_up,
    msUntilClaimExpiry: row.ms_until_claim_expiry,
    brokered: row.brokered,
    finalizationRequest,
    timing: on.timing,
    searchAttributesMissing: on.searchAttributesMissing,
  };
}

/** The claim records the outcome of a dispatch whose activity was lost; an open one may have been sent. */
async function settleLostCall(database: Database, run: RunRef, call: BrokeredCallRef): Promise<BrokeredOutcome> {
  await giveUpClaims(database, run, call);
  const claim = await readStoredClaim(database, { ...run, callId: call.callId });
  if (claim === null) return { outcome: 'lost' };
  return { outcome: claim.state === 'claimed' ? 'taken' : claim.state };
}

async function drainReservations(tx: TenantTransaction, runId: string, force: boolean): Promise<number> {
  if (!force) return countLiveReservations(tx, runId);
  await giveUpReservations(tx, runId);
  return 0;
}

async function beginQuiesce(tx: TenantTransaction, runId: string, quiesceSecs: number): Promise<void> {
  const reason = (await readFinalizationRequest(tx, runId))?.reason ?? null;
  await moveRun(tx, runId, ['running', 'awaiting_approval'], 'cancelling', reason, [
    { actor: 'system', type: 'run.quiesce_requested', data: { deadline_secs: quiesceSecs } },
  ]);
}

async function beginFinalizing(tx: TenantTransaction, runId: string): Promise<void> {
  const reason = (await readFinalizationRequest(tx, runId))?.reason ?? null;
  const notYet = RUN_STATUSES.filter((status) => canMove(status, 'finalizing'));
  await moveRun(tx, runId, notYet, 'finalizing', reason);
}
