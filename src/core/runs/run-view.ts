import type { RunOutcome } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';

/** What drives a run, measured by the database's clock: milliseconds from now, negative when overdue, null when nothing is due. */
export interface RunViewRow {
  status: string;
  organization_slug: string;
  agent_name: string;
  host_id: string | null;
  sandbox_attached: boolean;
  pending_approvals: number;
  ms_until_approval_expiry: number | null;
  ms_until_wall_clock: number | null;
  /** Null once the warning is written. */
  ms_until_wall_clock_warning: number | null;
  /** Null unless the run waits in the queue without a place. */
  ms_until_queue_expiry: number | null;
  /** Null while the run waits for a person to authorize it. */
  ms_until_launch_deadline: number | null;
  /** Commands are run before the agent. */
  sets_up: boolean;
  /** Null without an open claim of a brokered call. */
  ms_until_claim_expiry: number | null;
  brokered: boolean;
  requested_outcome: RunOutcome | null;
  ms_until_quiesce_deadline: number | null;
}

/** Reads what the driver decides from; undefined when the organization has no such run. The launch is limited from admission on, the queue from entry. */
export async function readRunView(
  tx: TenantTransaction,
  runId: string,
  limits: { launchLimitSecs: number; queueTtlSecs: number },
): Promise<RunViewRow | undefined> {
  const [row] = await tx.query<RunViewRow>('select * from svc_read_run_view($1, $2, $3)', [
    runId,
    limits.launchLimitSecs,
    limits.queueTtlSecs,
  ]);
  return row;
}
