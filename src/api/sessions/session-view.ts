import type { SessionEntity, SessionHeadEntity } from '../../core/runs/session.entity.js';
import type { SessionView } from './sessions.dto.js';

/** A run as clients see it; hosts, leases and tokens stay inside (docs/design/runs.md). */
export function toSessionView(session: SessionEntity, head: SessionHeadEntity | undefined): SessionView {
  return {
    id: session.id,
    tenant_id: session.tenant_id,
    agent_id: session.agent_id,
    agent_revision_id: session.agent_revision_id,
    status: session.status,
    status_reason: session.status_reason,
    autonomy: session.autonomy,
    trust_tier: session.trust_tier,
    task: session.task,
    labels: session.labels,
    repo_source: session.repo_source,
    run_spec: session.run_spec,
    trigger: session.trigger,
    sandbox_handle: session.sandbox_handle,
    budgets: session.budgets,
    base_commit: session.base_commit,
    result_summary: session.result_summary,
    event_seq: Number(head?.seq ?? 0),
    last_heartbeat_at: head?.last_heartbeat_at?.toISOString() ?? null,
    started_at: session.started_at?.toISOString() ?? null,
    finished_at: session.finished_at?.toISOString() ?? null,
    invoked_by_kind: session.invoked_by_kind,
    invoked_by_user_id: session.invoked_by_user_id,
    created_at: session.created_at.toISOString(),
    updated_at: session.updated_at.toISOString(),
  };
}
