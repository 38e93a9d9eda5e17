import { SandgateError } from '../domain/errors.js';
import type { NewEvent } from '../domain/events/event-kinds.js';
import type { HeadSigner } from '../domain/ledger/signed-head.js';
import { RUN_STATUSES, canMove, parseRunStatus } from '../domain/run/status.js';
import { expireApprovals } from '../platform/db/approvals.js';
import { admitRun } from '../platform/db/admission.js';
import { storeMissingDiff } from '../platform/db/artifacts.js';
import { concludeRun } from '../platform/db/conclusion.js';
import type { Database, TenantTransaction } from '../platform/db/database.js';
import { recordFailure } from '../platform/db/failures.js';
import { deleteIntent, readIntent, recordIntent } from '../platform/db/intents.js';
import { signLedgerHead } from '../platform/db/ledger-heads.js';
import { countLiveReservations, giveUpReservations } from '../platform/db/reservations.js';
import { moveRun } from '../platform/db/run-moves.js';
import { readRunView, type RunViewRow } from '../platform/db/run-view.js';
import type { DriverStop, DriverTiming, RunRecordActivities, RunRef, RunView } from './run-activities.js';

export interface RunRecordDependencies {
  database: Database;
  signer: HeadSigner;
  capacity: { globalMaxActive: number | null; tenantMaxActive: number | null };
  launchLimitSecs: number;
  quiesceSecs: number;
  timing: DriverTiming;
  searchAttributesMissing: boolean;
}

/** Short steps on the record. Each is one transaction that does nothing when its row has already moved. */
export function createRunRecordActivities(on: RunRecordDependencies): RunRecordActivities {
  const within = <T>(run: RunRef, work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    on.database.withTenant(run.organizationId, work);
  return {
    describeRun: async (run) => {
      const row = await within(run, (tx) => readRunView(tx, run.sessionId, on.launchLimitSecs));
      return row === undefined ? null : toView(row, on);
    },
    admitRun: (run) => within(run, (tx) => admitRun(tx, run.sessionId, on.capacity)),
    stopRun: (run, stop) => stopRun(on.database, run, stop, on.quiesceSecs),
    expireApprovals: async (run) => {
      await within(run, (tx) => expireApprovals(tx, run.sessionId));
    },
    beginQuiesce: (run) => within(run, (tx) => beginQuiesce(tx, run.sessionId, on.quiesceSecs)),
    beginFinalizing: async (run) => {
      await within(run, (tx) => beginFinalizing(tx, run.sessionId));
    },
    drainReservations: (run, force) => within(run, (tx) => drainReservations(tx, run.sessionId, force)),
    recordMissingDiff: (run, reason) => within(run, (tx) => storeMissingDiff(tx, run.sessionId, reason)),
    concludeRun: async (run) => {
      await within(run, (tx) => concludeRun(tx, run.sessionId, on.capacity));
      await signLedgerHead(on.database, run.organizationId, run.sessionId, on.signer);
    },
    forgetIntent: (run) => within(run, (tx) => deleteIntent(tx, run.sessionId)),
  };
}

function toView(row: RunViewRow, on: Pick<RunRecordDependencies, 'timing' | 'searchAttributesMissing'>): RunView {
  const intent =
    row.intent_outcome === null
      ? null
      : { outcome: row.intent_outcome, msUntilQuiesceDeadline: row.ms_until_quiesce_deadline };
  return {
    status: parseRunStatus(row.status) ?? 'unknown',
    organizationSlug: row.organization_slug,
    agentName: row.agent_name,
    hostId: row.host_id,
    sandboxAttached: row.sandbox_attached,
    pendingApprovals: row.pending_approvals,
    msUntilApprovalExpiry: row.ms_until_approval_expiry,
    msUntilWallClock: row.ms_until_wall_clock,
    msUntilLaunchDeadline: row.ms_until_launch_deadline,
    intent,
    timing: on.timing,
    searchAttributesMissing: on.searchAttributesMissing,
  };
}

/** The sentences of a stop that the driver decided (chapter 10 §2, `status_reason`). */
const FAILURES: Record<Exclude<DriverStop['code'], 'wall_clock'>, string> = {
  launch_deadline: 'stalled before launch: the sandbox did not start in time',
  sandbox_exited: 'sandbox died (stale heartbeat): it ended before the run reported a result',
  host_lost: 'the sandbox host went away and did not come back in time',
  intent_lost: 'the run was winding down without a recorded intent',
};

async function stopRun(database: Database, run: RunRef, stop: DriverStop, quiesceSecs: number): Promise<void> {
  if (stop.code !== 'wall_clock') {
    await recordFailure(database, run, FAILURES[stop.code]);
    return;
  }
  await database.withTenant(run.organizationId, async (tx) => {
    const intent = {
      outcome: 'budget_exceeded',
      reason: 'wall-clock budget exceeded',
      wantsQuiesce: true,
      quiesceSecs,
    };
    await recordIntent(tx, run.sessionId, intent, [await wallClockExceeded(tx, run.sessionId)]);
  });
}

async function wallClockExceeded(tx: TenantTransaction, sessionId: string): Promise<NewEvent> {
  const [spent] = await tx.query<{ cap: string; secs: number }>(
    `select run_spec->'budgets'->>'max_wall_clock_secs' as cap,
            floor(extract(epoch from now() - started_at))::float8 as secs
       from sessions where id = $1`,
    [sessionId],
  );
  if (spent === undefined) throw new SandgateError('not_found', 'the run is gone');
  const data = { budget: 'max_wall_clock_secs', limit: spent.cap, spent: String(spent.secs) };
  return { actor: 'system', type: 'budget.exceeded', data };
}

async function drainReservations(tx: TenantTransaction, sessionId: string, force: boolean): Promise<number> {
  if (!force) return countLiveReservations(tx, sessionId);
  await giveUpReservations(tx, sessionId);
  return 0;
}

async function beginQuiesce(tx: TenantTransaction, sessionId: string, quiesceSecs: number): Promise<void> {
  const reason = (await readIntent(tx, sessionId))?.reason ?? null;
  await moveRun(tx, sessionId, ['running', 'awaiting_approval'], 'cancelling', reason, [
    { actor: 'system', type: 'run.quiesce_requested', data: { deadline_secs: quiesceSecs } },
  ]);
}

async function beginFinalizing(tx: TenantTransaction, sessionId: string): Promise<void> {
  const reason = (await readIntent(tx, sessionId))?.reason ?? null;
  const notYet = RUN_STATUSES.filter((status) => canMove(status, 'finalizing'));
  await moveRun(tx, sessionId, notYet, 'finalizing', reason);
}
