import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { AdmissionLimits } from './admission.js';
import { expireApprovals } from './approvals.js';
import { storeArtifact } from './artifacts.js';
import type { TenantTransaction } from './database.js';
import { readIntent } from './intents.js';
import type { OutboxKind } from './outbox.js';
import { lockRun, moveRun } from './run-moves.js';

/**
 * The terminal move of a run and all that belongs to it, in one transaction (chapter 10 §4): summary, status, revoked tokens
 * and grants, `run.result`, settled approvals, freed capacity. A run that is already over is left alone.
 */
export async function concludeRun(tx: TenantTransaction, sessionId: string, limits: AdmissionLimits): Promise<void> {
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
  await releaseCapacity(tx, sessionId, limits);
}

async function storeSummary(tx: TenantTransaction, sessionId: string, summary: string): Promise<void> {
  await tx.query('update sessions set result_summary = $2 where id = $1', [sessionId, summary]);
  await storeArtifact(tx, sessionId, {
    kind: 'summary',
    name: 'summary.md',
    contentType: 'text/markdown',
    content: Buffer.from(summary),
    truncated: false,
  });
}

async function releaseCapacity(tx: TenantTransaction, sessionId: string, limits: AdmissionLimits): Promise<void> {
  const next = await tx.query<{ id: string; tenant_id: string; session_id: string; kind: OutboxKind }>(
    'select id, tenant_id, session_id, kind from svc_release_capacity($1, $2, $3, $4)',
    [tx.organizationId, sessionId, limits.globalMaxActive, limits.tenantMaxActive],
  );
  for (const row of next) {
    tx.handOver({ id: row.id, organizationId: row.tenant_id, sessionId: row.session_id, kind: row.kind });
  }
}
