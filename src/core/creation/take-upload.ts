import type { RequestedWorkspace, WorkspaceSpec } from '../../domain/run/spec.js';
import type { TenantTransaction } from '../record/database.js';
import { useUpload } from '../uploads/uploads.js';
import type { RunStarter } from './run-starter.js';

/**
 * The workspace of a new run; files that were sent for it become its own, in the transaction that creates it.
 *
 * @throws SandgateError `invalid_request` for an upload that the caller does not have
 */
export async function takeUpload(
  tx: TenantTransaction,
  workspace: RequestedWorkspace,
  { starter, runId }: { starter: RunStarter; runId: string },
): Promise<WorkspaceSpec> {
  if (workspace.kind !== 'upload') return workspace;
  return useUpload(tx, workspace.id, { kind: starter.kind, userId: starter.viewer.userId }, runId);
}
