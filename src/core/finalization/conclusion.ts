import type { NewEvent } from '../../domain/events/event-kinds.js';
import { expireApprovals } from '../approvals/approvals.js';
import { storeArtifact } from '../artifacts/artifacts.js';
import { releaseCapacity } from '../runs/capacity.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from '../runs/session.entity.js';
import { readIntent } from './intents.js';
import { lockRun, moveRun } from '../runs/run-moves.js';

/**
 * The terminal move of a run with everything that belongs to it, in one transaction (docs/design/runs.md): summary, status,
 * revoked tokens and grants, `run.result`, settled approvals, freed capacity. A run that is already over is left alone. A pass of
 * admission belongs behind the commit.
 */
export async function concludeRun(tx: TenantTransaction, sessionId: string): Promise<void> {
  const status = await lockRun(tx, sessionId);
  const intent = await readIntent(tx, sessionId);
  if (status !== 'finalizing' || intent === null) return;
  await expireApprovals(tx, sessionId, { all: true });
  if (intent.summary !== null) await storeSummary(tx, sessionId, intent.summary);
  const ending: NewEvent[] = [
    { actor: 'system', type: 'network.grant.revoked', data: { mode: 'offline', reason: 'the run ended' } },
    { actor: 'harness', type: 'run.result', data: { outcome: intent.posted_outcome, summary: intent.summary } },
  ];
  await moveRun(tx, sessionId, 'finalizing', intent.outcome, intent.reason, ending);
  await releaseCapacity(tx, sessionId);
}

async function storeSummary(tx: TenantTransaction, sessionId: string, summary: string): Promise<void> {
  await tx.manager.update(SessionEntity, { id: sessionId }, { result_summary: summary });
  await storeArtifact(tx, sessionId, {
    kind: 'summary',
    name: 'summary.md',
    contentType: 'text/markdown',
    content: Buffer.from(summary),
    truncated: false,
  });
}
