import { SandgateError } from '../../domain/errors.js';
import type { TenantTransaction } from '../record/database.js';
import { lockName, waitLongForLocks } from '../record/named-lock.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import type { Sealed, Sealer } from '../../platform/seal/sealer.js';
import type { ClientIdSource, ClientSecret, TokenAuthMethod } from './client-authentication.js';

/** A row of `oauth_client_registrations` without its secrets. */
export interface ClientRegistration {
  id: string;
  source: 'dcr' | 'cimd';
  client_id: string;
  token_endpoint_auth_method: TokenAuthMethod;
  /** Its secret has expired. */
  expired: boolean;
}

export interface NewRegistration {
  issuer: string;
  redirectUri: string;
  source: 'dcr' | 'cimd';
  clientId: string;
  clientSecret: string | null;
  /** Seconds since 1970; null for a secret that does not expire. */
  clientSecretExpiresAt: number | null;
  registrationEndpoint: string | null;
  registrationAccessToken: string | null;
  authMethod: TokenAuthMethod;
}

const TABLE = 'oauth_client_registrations';

/** Registrations are made one at a time per issuer and redirect address, in all processes, until the transaction ends. */
export async function lockRegistration(tx: TenantTransaction, issuer: string, redirectUri: string): Promise<void> {
  await waitLongForLocks(tx);
  await lockName(tx, `${TABLE} ${issuer} ${redirectUri}`);
}

/** What the whole deployment is known as to an issuer; null when it is not. */
export async function findRegistration(
  tx: TenantTransaction,
  issuer: string,
  redirectUri: string,
): Promise<ClientRegistration | null> {
  const [row] = await tx.query<ClientRegistration>('select * from svc_find_oauth_registration($1, $2)', [
    issuer,
    redirectUri,
  ]);
  return row ?? null;
}

export async function touchRegistration(tx: TenantTransaction, id: string): Promise<void> {
  await tx.query('select svc_touch_oauth_registration($1)', [id]);
}

/** Forgets a registration that its server no longer knows, so that the next flow registers anew. */
export async function dropRegistration(tx: TenantTransaction, id: string, clientId: string): Promise<void> {
  await tx.query('select svc_drop_oauth_registration($1, $2)', [id, clientId]);
}

/**
 * A server does not know the client that it registered: the next flow registers anew. Identities of other kinds are not ours to
 * forget.
 */
export async function forgetRefusedClient(
  tx: TenantTransaction,
  client: {
    source: ClientIdSource | undefined;
    registrationId: string | null | undefined;
    clientId: string | undefined;
  },
): Promise<void> {
  const { source, registrationId, clientId } = client;
  if (source !== 'dcr' || registrationId == null || clientId === undefined) return;
  await dropRegistration(tx, registrationId, clientId);
}

/** Keeps a registration for the whole deployment; its secrets are sealed under the deployment's own organization. */
export async function keepRegistration(
  tx: TenantTransaction,
  sealer: Sealer,
  registration: NewRegistration,
): Promise<ClientRegistration> {
  const id = newRowId();
  const deployment = await deploymentOrganization(tx);
  const seal = async (column: string, text: string | null): Promise<Sealed | null> =>
    text === null ? null : sealer.seal({ organizationId: deployment, column: `${TABLE}.${column}`, row: id }, text);
  const secret = await seal('client_secret', registration.clientSecret);
  const access = await seal('registration_access_token', registration.registrationAccessToken);
  await tx.query(
    `select svc_keep_oauth_registration($1, $2, $3, $4, $5, $6, $7, to_timestamp($8::float8), $9, $10, $11, $12)`,
    [
      id,
      registration.issuer,
      registration.redirectUri,
      registration.source,
      registration.clientId,
      secret?.bytes ?? null,
      secret?.keyVersion ?? 1,
      registration.clientSecretExpiresAt,
      registration.registrationEndpoint,
      access?.bytes ?? null,
      access?.keyVersion ?? 1,
      registration.authMethod,
    ],
  );
  const kept = await findRegistration(tx, registration.issuer, registration.redirectUri);
  if (kept === null) throw new Error('a registration that was kept is not there');
  return kept;
}

/** A deleted registration has no secret; the server will then say that it does not know the client. */
export async function openRegistrationSecret(tx: TenantTransaction, sealer: Sealer, id: string): Promise<ClientSecret> {
  const [row] = await tx.query<{ sealed: Buffer | null; key_version: number; method: TokenAuthMethod }>(
    'select * from svc_read_oauth_secret($1)',
    [id],
  );
  if (row?.sealed == null) return { clientSecret: null, authMethod: 'none' };
  const place = { organizationId: await deploymentOrganization(tx), column: `${TABLE}.client_secret`, row: id };
  const opened = await sealer.open(place, row.sealed, row.key_version);
  return { clientSecret: opened.toString('utf8'), authMethod: row.method };
}

/** The organization under whose key the deployment's own secrets are sealed (docs/design/sealing.md). */
export async function deploymentOrganization(tx: Pick<TenantTransaction, 'query'>): Promise<string> {
  const [row] = await tx.query<{ id: string }>(`select id from svc_find_organization('default')`);
  if (row === undefined)
    throw new SandgateError('unavailable', 'the organization of the deployment does not exist yet');
  return row.id;
}
