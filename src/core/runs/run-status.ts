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

/** Whether the run accepts work: by its status, and because nobody has ended it yet. Throws `not_found`. */
export async function runAcceptsWork(tx: TenantTransaction, runId: string): Promise<boolean> {
  const [row] = await tx.query<{ accepts: boolean | null }>('select svc_run_accepts_work($1) as accepts', [runId]);
  if (row?.accepts == null) throw new SandgateError('not_found', 'not found');
  return row.accepts;
}
