import type { NewEvent } from '../../domain/events/event-kinds.js';
import { summarizeFlows } from '../network/flows.js';
import { expireApprovals } from '../approvals/approvals.js';
import { createDeliveries } from '../deliveries/delivery-records.js';
import { storeArtifact } from '../artifacts/artifacts.js';
import { tellLostCounts } from '../network/lost-counts.js';
import { settleGrant, revokedEvent } from '../network/network-grants.js';
import { releaseCapacity } from '../runs/capacity.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from '../runs/session.entity.js';
import { readFinalizationRequest } from './finalization-requests.js';
import { lockRun, moveRun } from '../runs/run-moves.js';

/**
 * The terminal move of a run with everything that belongs to it, in one transaction (docs/design/runs.md): summary, status,
 * revoked tokens and grants, `run.result`, settled approvals, deliveries of the result, freed capacity. A run that is already over is left alone. A pass of
 * admission belongs behind the commit.
 */
export async function concludeRun(tx: TenantTransaction, runId: string): Promise<void> {
  const status = await lockRun(tx, runId);
  const finalizationRequest = await readFinalizationRequest(tx, runId);
  if (status !== 'finalizing' || finalizationRequest === null) return;
  await expireApprovals(tx, runId, { all: true });
  if (finalizationRequest.summary !== null) await storeSummary(tx, runId, finalizationRequest.summary);
  const ending: NewEvent[] = [
    ...(await tellLostCounts(tx, runId)),
    ...(await summarizeFlows(tx, runId)),
    ...(await revokedGrant(tx, runId)),
    {
      actor: 'harness',
      type: 'run.result',
      data: { outcome: finalizationRequest.posted_outcome, summary: finalizationRequest.summary },
    },
  ];
  await moveRun(tx, runId, 'finalizing', finalizationRequest.outcome, finalizationRequest.reason, ending);
  await createDeliveries(tx, runId);
  await releaseCapacity(tx, runId);
}

/** Every run reaches nothing from here on; a grant that ended before has said so. */
async function revokedGrant(tx: TenantTransaction, runId: string): Promise<NewEvent[]> {
  const reason = 'the run ended';
  const outcome = await settleGrant(tx, runId, 'revoked', reason);
  if (outcome === 'over') return [];
  return [revokedEvent(outcome === 'ended' ? 'approved' : 'offline', reason)];
}

async function storeSummary(tx: TenantTransaction, runId: string, summary: string): Promise<void> {
  await tx.manager.update(SessionEntity, { id: runId }, { result_summary: summary });
  await storeArtifact(tx, runId, {
    kind: 'summary',
    name: 'summary.md',
    contentType: 'text/markdown',
    content: Buffer.from(summary),
    truncated: false,
  });
}
