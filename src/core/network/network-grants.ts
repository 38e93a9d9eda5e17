import { digestOf } from '../../domain/digest/digest.js';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type pg from 'pg';
import type { ApprovedNetwork } from '../../domain/network/grant.js';
import { summarizeGrant } from '../../domain/network/grant-question.js';
import { describeTarget } from '../../domain/network/target.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { bodyArguments } from '../ledger/append-events.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { queryRow, queryRows } from '../record/query-row.js';
import { NetworkGrantEntity } from './network-grant.entity.js';

/** Why a grant was revoked that was in force until its end. */
export const GRANT_EXPIRED = 'the grant expired';

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
  tx.tell((observer) => observer.networkGrant('active'));
}

/**
 * Parks a run that was just created until a person authorizes its network (docs/design/network.md).
 *
 * @param ttlSecs how long the question waits
 * @returns the id of the approval
 */
export async function parkRun(
  tx: TenantTransaction,
  runId: string,
  network: ApprovedNetwork,
  ttlSecs: number,
): Promise<string> {
  const approvalId = newRowId();
  await tx.query('select svc_park_run($1, $2, $3, $4, $5, $6, $7, $8)', [
    tx.organizationId,
    runId,
    approvalId,
    grantDigest(network),
    network.expires_at,
    ttlSecs,
    summarizeGrant(network),
    'the policy asks a person to authorize the network of every run (network.require_approval)',
  ]);
  await tx.enqueue(runId, 'approval_requested');
  tx.wake(runId, 'approval');
  tx.tell((observer) => observer.networkGrant('awaiting_authorization'));
  return approvalId;
}

/** Puts an authorized grant in force; false when it does not wait any more. */
export async function activateGrant(tx: TenantTransaction, runId: string): Promise<boolean> {
  const [row] = await tx.query<{ activated: boolean }>('select svc_activate_grant($1) as activated', [runId]);
  if (row?.activated !== true) return false;
  tx.tell((observer) => observer.networkGrant('active'));
  return true;
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

export function revokedEvent(mode: 'offline' | 'approved', reason: string): NewEvent {
  return { actor: 'system', type: 'network.grant.revoked', data: { mode, reason } };
}

/**
 * Ends a grant that is in force and past its end, with its event; its run goes on and reaches nothing from here on. Whoever notices
 * first does it.
 */
export async function expireGrant(database: Database, run: { organizationId: string; runId: string }): Promise<void> {
  const event = revokedEvent('approved', GRANT_EXPIRED);
  const { bodies, digests } = bodyArguments([event]);
  const { ended } = await queryRow<{ ended: boolean }>(database.pool, {
    name: 'svc_expire_grant',
    text: 'select svc_expire_grant($1, $2, $3, $4::text[], $5::text[]) as ended',
    values: [run.organizationId, run.runId, GRANT_EXPIRED, bodies, digests],
  });
  if (!ended) return;
  database.announce({ ledger: run.runId });
  database.observer?.appended([event]);
  database.observer?.networkGrant('revoked');
}

/** Runs of all organizations whose grant is in force and past its end. */
export async function listExpiredGrants(
  pool: pg.Pool,
  limit: number,
): Promise<{ organizationId: string; runId: string }[]> {
  return queryRows(pool, {
    text: 'select organization_id as "organizationId", session_id as "runId" from svc_list_expired_grants($1)',
    values: [limit],
  });
}

/**
 * Settles what was granted to a run, for good: denied, or revoked. Locks its head; the caller tells the ledger.
 *
 * @returns `ended` to the one who did it, who tells the ledger; `over` when that was somebody else before; `none`: the run is
 * offline
 */
export async function settleGrant(
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
  const outcome = row?.outcome ?? 'none';
  if (outcome === 'ended') tx.tell((observer) => observer.networkGrant(status));
  return outcome;
}
