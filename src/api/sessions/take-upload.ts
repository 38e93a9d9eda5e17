import type { RequestedWorkspace, WorkspaceSpec } from '../../domain/run/spec.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { useUpload } from '../../core/uploads/uploads.js';
import { userIdOf, type Principal } from '../auth/principal.js';

/**
 * The workspace of a new run; files that were sent for it become its own, in the transaction that creates it.
 *
 * @throws SandgateError `invalid_request` for an upload that the caller does not have
 */
export async function takeUpload(
  tx: TenantTransaction,
  workspace: RequestedWorkspace,
  { principal, runId }: { principal: Principal; runId: string },
): Promise<WorkspaceSpec> {
  if (workspace.kind !== 'upload') return workspace;
  return useUpload(tx, workspace.id, { kind: principal.kind, userId: userIdOf(principal) }, runId);
}
