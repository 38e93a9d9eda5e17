import type { Sealed, Sealer } from '../../../platform/seal/sealer.js';
import type { Database, TenantTransaction } from '../../record/database.js';

/** How long a person has from start to callback. */
export const LOGIN_TTL_SECS = 600;
/** Logins of an organization that are open at once. */
const MAX_OPEN_LOGINS = 100;

export interface NewLoginFlow {
  id: string;
  configId: string;
  verifier: Sealed;
  nonce: string;
  /** Digest of the browser's cookie. */
  browserHash: string;
  redirectTo: string;
}

/** @returns false when too many logins of the organization are open */
export async function openLoginFlow(tx: TenantTransaction, flow: NewLoginFlow): Promise<boolean> {
  const [row] = await tx.query<{ opened: boolean }>(
    'select svc_open_login_flow($1, $2, $3, $4, $5, $6, $7, $8, $9) as opened',
    [
      flow.id,
      flow.configId,
      flow.verifier.bytes,
      flow.verifier.keyVersion,
      flow.nonce,
      flow.browserHash,
      flow.redirectTo,
      LOGIN_TTL_SECS,
      MAX_OPEN_LOGINS,
    ],
  );
  return row?.opened === true;
}

/** A login that this callback, and no other, may finish. */
export interface ClaimedLogin {
  verifier: string;
  nonce: string;
  redirectTo: string;
  /** Seconds since 1970. */
  createdSecs: number;
}

/**
 * Consumes a login for the browser that began it, in a transaction of its own (CP-281).
 *
 * @returns null for another browser, and for a login that is unknown, over, finished before, or of a provider that is not active;
 * nothing was changed then
 */
export async function claimLoginFlow(
  { database, sealer }: { database: Database; sealer: Sealer },
  { organizationId, configId, flowId }: { organizationId: string; configId: string; flowId: string },
  browserHash: string,
): Promise<ClaimedLogin | null> {
  const [row] = await database.withTenant(organizationId, (tx) =>
    tx.query<{
      pkce_verifier_sealed: Buffer;
      pkce_verifier_key_version: number;
      nonce: string;
      redirect_to: string;
      created_secs: number;
    }>('select * from svc_claim_login_flow($1, $2, $3)', [flowId, configId, browserHash]),
  );
  if (row === undefined) return null;
  const place = placeOfVerifier(organizationId, flowId);
  const verifier = await sealer.open(place, row.pkce_verifier_sealed, row.pkce_verifier_key_version);
  return {
    verifier: verifier.toString(),
    nonce: row.nonce,
    redirectTo: row.redirect_to,
    createdSecs: row.created_secs,
  };
}

export function placeOfVerifier(organizationId: string, flowId: string) {
  return { organizationId, column: 'login_flows.pkce_verifier', row: flowId };
}
