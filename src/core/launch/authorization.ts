import type { JsonObject } from '../../domain/json.js';
import { recheckGrant } from '../../domain/network/recheck-grant.js';
import { storedNetworkCap } from '../../domain/policy/parse-network.js';
import type { RunSpec } from '../../domain/run/spec.js';
import { hasFinalizationRequest, requestFinalization } from '../finalization/finalization-requests.js';
import { activateGrant, settleGrant, grantDigest, revokedEvent } from '../network/network-grants.js';
import { PolicyEntity } from '../policies/policy.entity.js';
import { readHeadVersion } from '../policies/policy-versions.js';
import type { TenantTransaction } from '../record/database.js';
import { lockRun, moveRun } from '../runs/run-moves.js';

/** `pending`: nobody has decided yet; `over`: the run does not wait any more. */
export type Authorization = 'pending' | 'authorized' | 'refused' | 'over';

const REFUSED = 'network grant was not authorized';

/** A run that waits, with what was granted and approved; null where that is gone. */
interface ParkedRow {
  run_spec: RunSpec;
  created_at: Date;
  /** The database's clock. */
  at: Date;
  grant_digest: string | null;
  approval_status: string | null;
  approved_digest: string | null;
}

/**
 * Goes on with a run that waits for a person to authorize its network, once somebody has decided: into the queue when the grant was
 * approved and still holds, else to its end. Refused, never narrowed. Repeating it changes nothing (docs/design/network.md).
 */
export async function authorizeRun(tx: TenantTransaction, runId: string): Promise<Authorization> {
  if ((await lockRun(tx, runId)) !== 'awaiting_authorization' || (await hasFinalizationRequest(tx, runId)))
    return 'over';
  const [parked] = await tx.query<ParkedRow>('select * from svc_read_parked_run($1)', [runId]);
  switch (parked?.approval_status) {
    case 'pending':
      return 'pending';
    case 'denied':
      return refuse(tx, runId, 'denied', 'it was denied');
    case 'expired':
      return refuse(tx, runId, 'denied', 'nobody decided in time');
    case 'approved_once':
      return admit(tx, runId, parked);
    default:
      return refuse(tx, runId, 'revoked', 'its approval is gone');
  }
}

async function admit(tx: TenantTransaction, runId: string, parked: ParkedRow): Promise<Authorization> {
  const problem = await whyNot(tx, parked);
  if (problem !== null) return refuse(tx, runId, 'revoked', problem);
  if (!(await activateGrant(tx, runId))) return refuse(tx, runId, 'revoked', 'it was revoked');
  await moveRun(tx, runId, 'awaiting_authorization', 'queued', null);
  return 'authorized';
}

/** By the policy as it is now, of which the run holds an earlier version. */
async function whyNot(tx: TenantTransaction, parked: ParkedRow): Promise<string | null> {
  const { network, policy_id: policyId, budgets } = parked.run_spec;
  if (network.mode !== 'approved') return 'the run is offline';
  const policy = await tx.manager.findOneByOrFail(PolicyEntity, { id: policyId });
  const { content } = await readHeadVersion(tx, policy);
  return recheckGrant({
    grant: network,
    digests: [grantDigest(network), parked.grant_digest, parked.approved_digest],
    cap: storedNetworkCap(content as JsonObject),
    createdAt: parked.created_at,
    now: parked.at,
    wallClockSecs: budgets.max_wall_clock_secs,
  });
}

async function refuse(
  tx: TenantTransaction,
  runId: string,
  status: 'denied' | 'revoked',
  why: string,
): Promise<Authorization> {
  await refuseNetwork(tx, runId, status, `${REFUSED}: ${why}`);
  return 'refused';
}

/** Ends a run that has no sandbox yet because of its network, and what was granted to it. */
export async function refuseNetwork(
  tx: TenantTransaction,
  runId: string,
  status: 'denied' | 'revoked',
  reason: string,
): Promise<void> {
  const ended = (await settleGrant(tx, runId, status, reason)) === 'ended';
  const request = { outcome: 'failed', reason, wantsQuiesce: false };
  await requestFinalization(tx, runId, request, ended ? [revokedEvent('approved', reason)] : []);
}
