import { SandgateError } from '../../domain/errors.js';
import { parseRunStatus } from '../../domain/run/status.js';
import type { RunStatus } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from './session.entity.js';

/** Status of a run as the organization sees it; `unknown` for a word of a newer deployment. Throws `not_found`. */
export async function readRunStatus(tx: TenantTransaction, runId: string): Promise<RunStatus | 'unknown'> {
  const row = await tx.manager.findOne(SessionEntity, { select: { id: true, status: true }, where: { id: runId } });
  if (row === null) throw new SandgateError('not_found', 'not found');
  return parseRunStatus(row.status) ?? 'unknown';
}

/** Whether what a person answers still leads to something: the run accepts work, or waits for the authorization itself. */
export async function runAwaitsAnswers(tx: TenantTransaction, runId: string): Promise<boolean> {
  const [row] = await tx.query<{ awaits: boolean | null }>('select svc_run_awaits_answers($1) as awaits', [runId]);
  if (row?.awaits == null) throw new SandgateError('not_found', 'not found');
  return row.awaits;
}

/** Whether the run accepts work: by its status, and because nobody has ended it yet. Throws `not_found`. */
export async function runAcceptsWork(tx: TenantTransaction, runId: string): Promise<boolean> {
  const [row] = await tx.query<{ accepts: boolean | null }>('select svc_run_accepts_work($1) as accepts', [runId]);
  if (row?.accepts == null) throw new SandgateError('not_found', 'not found');
  return row.accepts;
}
