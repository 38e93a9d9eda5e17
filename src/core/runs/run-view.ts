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
  ms_until_launch_deadline: number;
  /** Null without an open claim of a brokered call. */
  ms_until_claim_expiry: number | null;
  brokered: boolean;
  intent_outcome: RunOutcome | null;
  ms_until_quiesce_deadline: number | null;
}

/** Reads what the driver decides from; undefined when the organization has no such run. The launch is limited from admission on, the queue from entry. */
export async function readRunView(
  tx: TenantTransaction,
  sessionId: string,
  limits: { launchLimitSecs: number; queueTtlSecs: number },
): Promise<RunViewRow | undefined> {
  const [row] = await tx.query<RunViewRow>(
    `select s.status, o.slug as organization_slug, s.run_spec->>'agent_name' as agent_name, case when s.status in ('created', 'queued') then null else s.host_id end as host_id,
            s.sandbox_handle is not null as sandbox_attached,
            coalesce(p.pending, 0)::int as pending_approvals,
            (extract(epoch from p.next_expiry - now()) * 1000)::float8 as ms_until_approval_expiry,
            (extract(epoch from s.started_at - now()) * 1000
              + (s.run_spec->'budgets'->>'max_wall_clock_secs')::float8 * 1000)::float8 as ms_until_wall_clock,
            case when not h.wall_clock_warned and (s.run_spec->'budgets'->>'max_wall_clock_secs')::float8 > 0 then
              (extract(epoch from s.started_at - now()) * 1000
                + (s.run_spec->'budgets'->>'max_wall_clock_secs')::float8 * 800)::float8 end as ms_until_wall_clock_warning,
            case when s.status = 'queued' and not s.capacity_held then
              (extract(epoch from s.queued_at - now()) * 1000 + $3::float8 * 1000)::float8 end as ms_until_queue_expiry,
            (extract(epoch from coalesce(s.admitted_at, s.created_at) - now()) * 1000 + $2::float8 * 1000)::float8
              as ms_until_launch_deadline,
            (extract(epoch from c.next_expiry - now()) * 1000)::float8 as ms_until_claim_expiry,
            coalesce(s.run_spec->'brokered', '[]') <> '[]' as brokered,
            f.outcome as intent_outcome,
            case when f.needs_quiesce then (extract(epoch from f.quiesce_deadline - now()) * 1000)::float8 end
              as ms_until_quiesce_deadline
       from sessions s
       join organizations o on o.id = s.tenant_id
       join session_heads h on h.session_id = s.id
       left join session_finalizations f on f.session_id = s.id
       left join lateral (
         select count(*) as pending, min(expires_at) as next_expiry
           from approvals where session_id = s.id and status = 'pending') p on true
       left join lateral (
         select min(claim_expires_at) as next_expiry
           from tool_execution_claims where session_id = s.id and state = 'claimed') c on true
      where s.id = $1`,
    [sessionId, limits.launchLimitSecs, limits.queueTtlSecs],
  );
  return row;
}
