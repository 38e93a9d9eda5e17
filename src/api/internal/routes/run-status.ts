import { SandgateError } from '../../../domain/errors.js';
import { parseRunStatus } from '../../../domain/run/status.js';
import type { RunStatus } from '../../../domain/run/status.js';
import type { TenantTransaction } from '../../../platform/db/database.js';

/** Status of a run as the organization sees it; `unknown` for a word of a newer deployment. Throws `not_found`. */
export async function readRunStatus(tx: TenantTransaction, sessionId: string): Promise<RunStatus | 'unknown'> {
  const [row] = await tx.query<{ status: string }>('select status from sessions where id = $1', [sessionId]);
  if (row === undefined) throw new SandgateError('not_found', 'not found');
  return parseRunStatus(row.status) ?? 'unknown';
}
