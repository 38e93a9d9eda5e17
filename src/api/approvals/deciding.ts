import { decisionProblem } from '../../domain/connections/decision-authority.js';
import { readAskedCalls } from '../../core/approvals/asked-calls.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { userIdOf, type Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';

/** Why the caller must not decide each of these approvals, null where the caller may; by approval id (docs/design/identity.md). */
export async function decisionProblems(
  tx: TenantTransaction,
  principal: Principal,
  approvalIds: readonly string[],
): Promise<Map<string, string | null>> {
  const calls = await readAskedCalls(tx, approvalIds);
  const decider = { userId: userIdOf(principal), forOrganization: decidesForOrganization(principal) };
  return new Map(
    calls.map((call) => [call.approvalId, decisionProblem(call.authority, decider, call.invokedBy)] as const),
  );
}

/** Who sees the runs of others decides about them as well, unless a call is somebody's own. */
function decidesForOrganization(principal: Principal): boolean {
  return runViewerOf(principal).invokedBy === null;
}
