import { SandgateError } from '../../domain/errors.js';
import { parseRunStatus } from '../../domain/run/status.js';
import type { RunStatus } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';

/** Status of a run as the organization sees it; `unknown` for a word of a newer deployment. Throws `not_found`. */
export async function readRunStatus(tx: TenantTransaction, sessionId: string): Promise<RunStatus | 'unknown'> {
  const [row] = await tx.query<{ status: string }>('select status from sessions where id = $1', [sessionId]);
  if (row === undefined) throw new SandgateError('not_found', 'not found');
  return parseRunStatus(row.status) ?? 'unknown';
}

/** Whether the run accepts work: by its status, and because nobody has ended it yet. Throws `not_found`. */
export async function runAcceptsWork(tx: TenantTransaction, sessionId: string): Promise<boolean> {
  const [row] = await tx.query<{ accepts: boolean }>(
    `select svc_accepts_work(s.status) and not h.ending as accepts
     from sessions s join session_heads h on h.session_id = s.id where s.id = $1`,
    [sessionId],
  );
  if (row === undefined) throw new SandgateError('not_found', 'not found');
  return row.accepts;
}
