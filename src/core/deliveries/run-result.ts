import type { RunResult } from '../../domain/deliveries/result-body.js';
import type { RunSpec } from '../../domain/run/spec.js';
import { ArtifactEntity } from '../artifacts/artifact.entity.js';
import { readUsage } from '../budgets/usage.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from '../runs/session.entity.js';

/** What the run came to until now; null when the organization has no such run. */
export async function readRunResult(tx: TenantTransaction, runId: string): Promise<RunResult | null> {
  const session = await tx.manager.findOneBy(SessionEntity, { id: runId });
  if (session === null) return null;
  const { unreported_requests: _, reserved_cost_usd: __, ...usage } = await readUsage(tx, runId);
  const artifacts = await tx.manager.find(ArtifactEntity, {
    where: { session_id: runId },
    order: { created_at: 'ASC', id: 'ASC' },
  });
  return { run: describeRun(session), usage, artifacts: artifacts.map(describeArtifact) };
}

function describeRun(session: SessionEntity): RunResult['run'] {
  const { agent_name, invocation } = session.run_spec as Pick<RunSpec, 'agent_name' | 'invocation'>;
  return {
    id: session.id,
    status: session.status,
    status_reason: session.status_reason,
    agent_id: session.agent_id,
    agent_revision_id: session.agent_revision_id,
    agent_name,
    task: session.task,
    summary: session.result_summary,
    invocation,
    created_at: session.created_at.toISOString(),
    started_at: session.started_at?.toISOString() ?? null,
    finished_at: session.finished_at?.toISOString() ?? null,
  };
}

function describeArtifact({ id, kind, name, content_type, content }: ArtifactEntity): RunResult['artifacts'][number] {
  return { id, kind, name, content_type, content: content.toString('utf8') };
}
