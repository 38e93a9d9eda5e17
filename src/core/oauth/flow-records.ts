import { IsNull } from 'typeorm';
import type { Database, TenantTransaction } from '../record/database.js';
import { queryRow } from '../record/query-row.js';
import { aheadOfClock, changeRow } from '../../platform/postgres/write-rows.js';
import type { Sealed } from '../../platform/seal/sealer.js';
import type { ClientIdSource, TokenAuthMethod } from './client-authentication.js';
import { OAuthFlowEntity } from './oauth-flow.entity.js';

/** Neither consumed nor expired. */
const LIVE = { consumed_at: IsNull(), expires_at: aheadOfClock() };

/** How long a person has from start to callback (docs/design/oauth.md). */
export const FLOW_TTL_SECS = 600;

/** A connect flow as it is frozen at its start: the callback discovers nothing. */
export interface OAuthFlow {
  id: string;
  connection_id: string;
  initiated_by_user_id: string | null;
  issuer: string;
  /** The server names itself in each answer: an answer without `iss` is not its own (RFC 9207). */
  iss_required: boolean;
  authorization_endpoint: string;
  token_endpoint: string;
  metadata_digest: string;
  resource: string;
  redirect_uri: string;
  scopes: string[];
  challenge: string;
  client_registration_id: string | null;
  client_id: string;
  client_id_source: ClientIdSource;
  token_endpoint_auth_method: TokenAuthMethod;
  expected_generation: number;
}

export type NewFlow = OAuthFlow & { stateHash: string; browserHash: string; verifier: Sealed };

export interface StoredFlow extends OAuthFlow {
  pkce_verifier_sealed: Buffer;
  pkce_verifier_key_version: number;
}

/**
 * Inserts a flow, and removes what the organization's earlier flows left: unfinished ones whose time is over, and any that ended a
 * week ago.
 */
export async function insertFlow(tx: TenantTransaction, flow: NewFlow): Promise<void> {
  const { stateHash, browserHash, verifier, ...frozen } = flow;
  await tx.query('select svc_forget_oauth_flows()');
  await tx.manager.insert(OAuthFlowEntity, {
    ...frozen,
    tenant_id: tx.organizationId,
    state_hash: stateHash,
    browser_hash: browserHash,
    pkce_verifier_sealed: verifier.bytes,
    pkce_verifier_key_version: verifier.keyVersion,
    expires_at: () => `clock_timestamp() + make_interval(secs => ${FLOW_TTL_SECS})`,
  });
}

/** A flow that is neither consumed nor expired; null otherwise. */
export function findLiveFlow(tx: TenantTransaction, id: string): Promise<StoredFlow | null> {
  return tx.manager.findOneBy(OAuthFlowEntity, { id, ...LIVE });
}

/**
 * The person has read who asks and went on: from now on the flow belongs to that browser, and no other one may open it.
 *
 * @param again the browser proved that it is the one that opened the flow before
 * @returns false when another browser did, or the flow is over
 */
export function openFlow(tx: TenantTransaction, id: string, again: boolean): Promise<boolean> {
  return changeRow(
    tx,
    OAuthFlowEntity,
    { id, ...LIVE, ...(again ? {} : { opened_at: IsNull() }) },
    { opened_at: () => 'coalesce(opened_at, clock_timestamp())' },
  );
}

export type Claim =
  | { outcome: 'claimed'; organizationId: string; flowId: string }
  /** The flow lives, but this browser is not the one that opened it. */
  | { outcome: 'other_browser' }
  /** Unknown, expired, or consumed. */
  | { outcome: 'gone' };

/** Consumes the flow for the browser that opened it: one statement, so that only one of two callbacks gets it. */
export async function claimFlow(db: Database, stateHash: string, browserHash: string): Promise<Claim> {
  const row = await queryRow<{ outcome: Claim['outcome']; organization_id: string; flow_id: string }>(db.pool, {
    text: 'select * from svc_claim_oauth_flow($1, $2)',
    values: [stateHash, browserHash],
  });
  if (row.outcome === 'gone') return { outcome: 'gone' };
  if (row.outcome === 'other_browser') return { outcome: 'other_browser' };
  return { outcome: 'claimed', organizationId: row.organization_id, flowId: row.flow_id };
}

export interface ClaimedFlow extends StoredFlow {
  /** The connection was authorized since this flow started; of two in the same microsecond the first one to be stored wins. */
  superseded: boolean;
}

export async function readClaimedFlow(tx: TenantTransaction, id: string): Promise<ClaimedFlow> {
  const [row] = await tx.query<ClaimedFlow>(
    'select (found.flow).*, found.superseded from svc_read_claimed_flow($1) as found',
    [id],
  );
  if (row === undefined) throw new Error('a claimed flow is not there');
  return row;
}
