import { digestOf } from '../../domain/digest/digest.js';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { ApprovedNetwork } from '../../domain/network/grant.js';
import { describeTarget } from '../../domain/network/target.js';
import type { TenantTransaction } from '../record/database.js';
import { NetworkGrantEntity } from './network-grant.entity.js';

/** What an approval of a grant is bound to. */
export function grantDigest(network: ApprovedNetwork): string {
  return digestOf(network as unknown as ExactJson);
}

/** The row of a grant that needs nobody's approval; it is in force from the creation of its run on. */
export async function insertActiveGrant(tx: TenantTransaction, runId: string, network: ApprovedNetwork): Promise<void> {
  await tx.manager.insert(NetworkGrantEntity, {
    session_id: runId,
    tenant_id: tx.organizationId,
    status: 'active',
    grant_digest: grantDigest(network),
    expires_at: new Date(network.expires_at),
  });
}

/** Tells the ledger what the run may reach. */
export function frozenGrantEvent(network: ApprovedNetwork, awaitsAuthorization: boolean): NewEvent {
  return {
    actor: 'system',
    type: 'network.grant.frozen',
    data: {
      mode: network.mode,
      targets: network.targets.map(describeTarget),
      digest: grantDigest(network),
      awaiting_authorization: awaitsAuthorization,
      expires_at: network.expires_at,
    },
  };
}

/**
 * Ends the grant of a run whose head the caller has locked.
 *
 * @returns `ended` to the one who ended it, who tells the ledger; `over` when that was somebody else before; `none`: the run is
 * offline
 */
export async function endGrant(
  tx: TenantTransaction,
  runId: string,
  status: 'denied' | 'revoked',
  reason: string,
): Promise<'ended' | 'over' | 'none'> {
  const [row] = await tx.query<{ outcome: 'ended' | 'over' | 'none' }>('select svc_end_grant($1, $2, $3) as outcome', [
    runId,
    status,
    reason,
  ]);
  return row?.outcome ?? 'none';
}
