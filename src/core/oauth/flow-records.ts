import type { Database, TenantTransaction } from '../record/database.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';
import type { Sealed } from '../../platform/seal/sealer.js';
import type { ClientIdSource, TokenAuthMethod } from './client-authentication.js';

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

const COLUMNS = `id, connection_id, initiated_by_user_id, issuer, iss_required, authorization_endpoint, token_endpoint,
  metadata_digest, resource, redirect_uri, scopes, challenge, client_registration_id, client_id, client_id_source,
  token_endpoint_auth_method, expected_generation, pkce_verifier_sealed, pkce_verifier_key_version`;

/**
 * Inserts a flow, and removes what the organization's earlier flows left: unfinished ones whose time is over, and any that ended a
 * week ago.
 */
export async function insertFlow(tx: TenantTransaction, flow: NewFlow): Promise<void> {
  await tx.query(
    `delete from connector_oauth_flows where (consumed_at is null and expires_at <= clock_timestamp())
       or expires_at < clock_timestamp() - interval '7 days'`,
  );
  await tx.query(
    `insert into connector_oauth_flows (id, tenant_id, connection_id, initiated_by_user_id, state_hash, browser_hash, issuer,
       iss_required, authorization_endpoint, token_endpoint, metadata_digest, resource, redirect_uri, scopes, challenge,
       client_registration_id, client_id, client_id_source, token_endpoint_auth_method, pkce_verifier_sealed,
       pkce_verifier_key_version, expected_generation, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
             clock_timestamp() + make_interval(secs => $23))`,
    [
      flow.id,
      tx.organizationId,
      flow.connection_id,
      flow.initiated_by_user_id,
      flow.stateHash,
      flow.browserHash,
      flow.issuer,
      flow.iss_required,
      flow.authorization_endpoint,
      flow.token_endpoint,
      flow.metadata_digest,
      flow.resource,
      flow.redirect_uri,
      flow.scopes,
      flow.challenge,
      flow.client_registration_id,
      flow.client_id,
      flow.client_id_source,
      flow.token_endpoint_auth_method,
      flow.verifier.bytes,
      flow.verifier.keyVersion,
      flow.expected_generation,
      FLOW_TTL_SECS,
    ],
  );
}

/** A flow that is neither consumed nor expired; null otherwise. */
export async function findLiveFlow(tx: TenantTransaction, id: string): Promise<StoredFlow | null> {
  const [row] = await tx.query<StoredFlow>(
    `select ${COLUMNS} from connector_oauth_flows
     where id = $1 and consumed_at is null and expires_at > clock_timestamp()`,
    [id],
  );
  return row ?? null;
}

/**
 * The person has read who asks and went on: from now on the flow belongs to that browser, and no other one may open it.
 *
 * @param again the browser proved that it is the one that opened the flow before
 * @returns false when another browser did, or the flow is over
 */
export async function openFlow(tx: TenantTransaction, id: string, again: boolean): Promise<boolean> {
  const opened = await tx.query(
    `update connector_oauth_flows set opened_at = coalesce(opened_at, clock_timestamp())
     where id = $1 and consumed_at is null and expires_at > clock_timestamp() and (opened_at is null or $2) returning id`,
    [id, again],
  );
  return opened.length > 0;
}

export type Claim =
  | { outcome: 'claimed'; organizationId: string; flowId: string }
  /** The flow lives, but this browser is not the one that opened it. */
  | { outcome: 'other_browser' }
  /** Unknown, expired, or consumed. */
  | { outcome: 'gone' };

/** Consumes the flow for the browser that opened it: one statement, so that only one of two callbacks gets it. */
export async function claimFlow(db: Database, stateHash: string, browserHash: string): Promise<Claim> {
  const { rows } = await translateDatabaseErrors(() =>
    db.pool.query<{ outcome: 'claimed' | 'other_browser' | 'gone'; organization_id: string; flow_id: string }>(
      'select * from svc_claim_oauth_flow($1, $2)',
      [stateHash, browserHash],
    ),
  );
  const row = rows[0];
  if (row === undefined || row.outcome === 'gone') return { outcome: 'gone' };
  if (row.outcome === 'other_browser') return { outcome: 'other_browser' };
  return { outcome: 'claimed', organizationId: row.organization_id, flowId: row.flow_id };
}

export interface ClaimedFlow extends StoredFlow {
  /** The connection was authorized since this flow started; of two in the same microsecond the first one to be stored wins. */
  superseded: boolean;
}

export async function readClaimedFlow(tx: TenantTransaction, id: string): Promise<ClaimedFlow> {
  const [row] = await tx.query<ClaimedFlow>(
    `select ${COLUMNS}, exists (
       select 1 from integration_connections c where c.id = f.connection_id
         and (c.authorization_generation <> f.expected_generation
              or (c.oauth ->> 'activated_at')::timestamptz >= f.created_at)) as superseded
     from connector_oauth_flows f where id = $1`,
    [id],
  );
  if (row === undefined) throw new Error('a claimed flow is not there');
  return row;
}
