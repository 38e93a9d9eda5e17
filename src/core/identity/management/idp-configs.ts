import { IsNull, Not } from 'typeorm';
import { digestOfText } from '../../../domain/digest/digest.js';
import { SandgateError } from '../../../domain/errors.js';
import { readClaimMapping } from '../../../domain/identity/claim-mapping.js';
import { normalizedEmail } from '../../../domain/identity/email.js';
import { notFound } from '../../../domain/resource-id.js';
import { newRowId } from '../../../platform/postgres/row-id.js';
import { changeRow, CLOCK, insertRows } from '../../../platform/postgres/write-rows.js';
import type { OidcHttp } from '../../../platform/oidc/oidc-http.js';
import type { Sealer } from '../../../platform/seal/sealer.js';
import type { Database, TenantTransaction } from '../../record/database.js';
import { armOwner } from './arm-owner.js';
import { auditStep, type AuditActor } from '../audit-log.js';
import { IdpConfigEntity } from '../idp-config.entity.js';
import { lockIdentity } from './lock-identity.js';
import { checkProvider, checkProviderSettings, type ProviderSettings } from '../provider-check.js';
import { placeOfClientSecret } from '../sign-in/relying-party.js';

/** A provider that is to be. */
export interface NewIdp extends ProviderSettings {
  /** Armed with it. */
  bootstrapOwnerEmail: string | null;
}

/** What may change of a provider. Left out keeps; null removes. */
export type IdpChanges = Partial<Omit<NewIdp, 'issuer' | 'clientId'>>;

export interface IdpConfigParts {
  database: Database;
  sealer: Sealer;
  /** The way to providers. */
  http: OidcHttp;
}

/** Identity providers of organizations: staged and changed (CP-268). `IdpMoves` moves them between statuses. */
export class IdpConfigs {
  constructor(private readonly on: IdpConfigParts) {}

  /**
   * Adds a provider that nobody can sign in with yet.
   *
   * @throws SandgateError `invalid_request`, also for what the provider itself says; `conflict` for an address to be armed while an
   * owner exists; `unavailable` without a sealing key
   */
  async stage(organizationId: string, wish: NewIdp, actor: AuditActor): Promise<IdpConfigEntity> {
    const email = addressOf(wish.bootstrapOwnerEmail);
    this.requireSealing();
    const { metadata, jwks } = await checkProvider(this.on.http, wish);
    const id = newRowId();
    const sealed = wish.clientSecret === null ? {} : await this.seal(organizationId, id, wish.clientSecret);
    return this.on.database.withTenant(organizationId, async (tx) => {
      await lockIdentity(tx);
      const generation = ((await tx.manager.maximum(IdpConfigEntity, 'generation')) ?? 0) + 1;
      const discovered = { discovered_metadata: metadata, jwks, discovered_at: CLOCK };
      const row = { id, tenant_id: organizationId, generation, ...columnsOf(wish), created_by: actor.id };
      await insertRows(tx, IdpConfigEntity, [{ ...row, ...discovered, ...sealed }]);
      const detail = { generation, issuer_digest: digestOfText(wish.issuer) };
      await auditStep(tx, { actor, action: 'idp.create', target: id, detail });
      if (typeof email === 'string') await armOwner(tx, { configId: id, email, actor });
      return findIdpConfig(tx, id);
    });
  }

  /**
   * Changes a provider of any status.
   *
   * @throws SandgateError `not_found`, `invalid_request`; `conflict` where method and secret do not fit together afterwards, and for an
   * address to be armed while an owner exists; `unavailable` without a sealing key
   */
  async change(
    organizationId: string,
    { id, changes, actor }: { id: string; changes: IdpChanges; actor: AuditActor },
  ): Promise<IdpConfigEntity> {
    const email = addressOf(changes.bootstrapOwnerEmail);
    if (changes.claimMappings !== undefined) readClaimMapping(changes.claimMappings);
    const sealed = await this.sealedChange(organizationId, id, changes.clientSecret);
    return this.on.database.withTenant(organizationId, async (tx) => {
      await lockIdentity(tx);
      const found = await findIdpConfig(tx, id);
      const merged = await mergedSettings(tx, found, changes);
      checkProviderSettings(merged);
      const columns = { ...columnsOf(merged), ...sealed, ...(email === null ? DISARMED : {}) };
      await changeRow(tx, IdpConfigEntity, { id }, { ...columns, updated_at: CLOCK });
      await auditStep(tx, { actor, action: 'idp.patch', target: id, detail: { changed: namesOf(changes) } });
      if (typeof email === 'string') await armOwner(tx, { configId: id, email, actor });
      return findIdpConfig(tx, id);
    });
  }

  private requireSealing(): void {
    if (!this.on.sealer.available) {
      throw new SandgateError('unavailable', 'SERVICE_CREDENTIAL_KEY: no sealing key is configured');
    }
  }

  private async sealedChange(
    organizationId: string,
    id: string,
    secret: string | null | undefined,
  ): Promise<SealedSecret> {
    if (secret === undefined) return {};
    return secret === null ? { client_secret_sealed: null } : this.seal(organizationId, id, secret);
  }

  private async seal(organizationId: string, id: string, secret: string): Promise<SealedSecret> {
    const { bytes, keyVersion } = await this.on.sealer.seal(placeOfClientSecret(organizationId, id), secret);
    return { client_secret_sealed: bytes, client_secret_key_version: keyVersion };
  }
}

type SealedSecret = Partial<Pick<IdpConfigEntity, 'client_secret_sealed' | 'client_secret_key_version'>>;

const DISARMED = { bootstrap_owner_email: null, bootstrap_owner_expires_at: null, bootstrap_arm_audit_id: null };

/** @throws SandgateError `not_found` */
export async function findIdpConfig(tx: TenantTransaction, id: string): Promise<IdpConfigEntity> {
  const found = await tx.manager.findOneBy(IdpConfigEntity, { id });
  if (found === null) throw notFound('identity provider');
  return found;
}

/** Undefined and null say what they said before. @throws SandgateError `invalid_request` */
function addressOf<T extends null | undefined>(email: string | T): string | T {
  return typeof email === 'string' ? normalizedEmail('bootstrap_owner_email', email) : email;
}

function columnsOf({ issuer, clientId, tokenEndpointAuth, scopes, claimMappings, algAllowlist }: ProviderSettings) {
  return {
    issuer,
    client_id: clientId,
    token_endpoint_auth: tokenEndpointAuth,
    scopes: [...scopes],
    claim_mappings: claimMappings,
    alg_allowlist: [...algAllowlist],
  };
}

/** @throws SandgateError `conflict` where method and secret do not fit together: one alone of them may be right */
async function mergedSettings(
  tx: TenantTransaction,
  found: IdpConfigEntity,
  { tokenEndpointAuth, scopes, claimMappings, algAllowlist, clientSecret }: IdpChanges,
): Promise<ProviderSettings> {
  const auth = tokenEndpointAuth ?? found.token_endpoint_auth;
  const kept = clientSecret === undefined && (await holdsSecret(tx, found.id)) ? KEPT : null;
  const secret = clientSecret === undefined ? kept : clientSecret;
  if (auth === 'none' && secret !== null)
    throw new SandgateError('conflict', 'client_secret: token_endpoint_auth none takes no secret; remove it');
  if (auth !== 'none' && secret === null)
    throw new SandgateError('conflict', `client_secret: token_endpoint_auth ${auth} needs one`);
  return {
    issuer: found.issuer,
    clientId: found.client_id,
    clientSecret: secret,
    tokenEndpointAuth: auth,
    scopes: scopes ?? found.scopes,
    claimMappings: claimMappings ?? found.claim_mappings,
    algAllowlist: algAllowlist ?? found.alg_allowlist,
  };
}

/** Of the members on the wire. */
function namesOf(changes: IdpChanges): string[] {
  return Object.keys(changes)
    .map((member) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .sort();
}

/** Stands for a sealed secret, which is not opened to be kept. */
const KEPT = 'kept';

function holdsSecret(tx: TenantTransaction, id: string): Promise<boolean> {
  return tx.manager.existsBy(IdpConfigEntity, { id, client_secret_sealed: Not(IsNull()) });
}
