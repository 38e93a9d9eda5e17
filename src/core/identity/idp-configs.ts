import { IsNull, Not } from 'typeorm';
import { digestOfText } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import {
  checkAlgorithms,
  checkClaimMappings,
  checkIdpSettings,
  checkScopes,
  normalizedEmail,
  secretProblem,
  type IdpSettings,
} from '../../domain/identity/idp-settings.js';
import type { JsonObject } from '../../domain/json.js';
import { notFound } from '../../domain/resource-id.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { changeRow, CLOCK, insertRows } from '../../platform/postgres/write-rows.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { armOwner } from './arm-owner.js';
import { auditStep, type AuditActor } from './audit-log.js';
import { placeOfClientSecret } from './client-secret.js';
import { IdpConfigEntity } from './idp-config.entity.js';
import { lockIdentity } from './lock-identity.js';

/** A provider that is to be. */
export interface NewIdp extends IdpSettings {
  client_secret: string | null;
  /** Armed with it. */
  bootstrap_owner_email: string | null;
}

/** What may change of a provider. Left out keeps; null removes. */
export type IdpChanges = Partial<
  Pick<IdpSettings, 'token_endpoint_auth' | 'scopes' | 'claim_mappings' | 'alg_allowlist'> & {
    client_secret: string | null;
    bootstrap_owner_email: string | null;
  }
>;

/** Asks the provider itself, over the network. @throws SandgateError `invalid_request` for one that people could not sign in with */
export type ProviderCheck = (settings: IdpSettings) => Promise<{ metadata: JsonObject; jwks: JsonObject }>;

export interface IdpConfigParts {
  database: Database;
  sealer: Sealer;
  check: ProviderCheck;
}

/** Identity providers of organizations: listed, staged and changed (CP-268). `IdpMoves` moves them between statuses. */
export class IdpConfigs {
  constructor(private readonly on: IdpConfigParts) {}

  /** By generation. */
  list(organizationId: string): Promise<IdpConfigEntity[]> {
    return this.on.database.withTenant(organizationId, (tx) =>
      tx.manager.find(IdpConfigEntity, { order: { generation: 'ASC' } }),
    );
  }

  /**
   * Adds a provider that nobody can sign in with yet.
   *
   * @throws SandgateError `invalid_request`, also for what the provider itself says; `conflict` for an address to be armed while an
   * owner exists; `unavailable` without a sealing key
   */
  async stage(organizationId: string, wish: NewIdp, actor: AuditActor): Promise<IdpConfigEntity> {
    const { client_secret: secret, bootstrap_owner_email: address, ...settings } = wish;
    checkIdpSettings(settings);
    const problem = secretProblem(settings.token_endpoint_auth, secret !== null);
    if (problem !== null) throw new SandgateError('invalid_request', problem);
    const email = address === null ? null : normalizedEmail('bootstrap_owner_email', address);
    this.requireSealing();
    const { metadata, jwks } = await this.on.check(settings);
    const id = newRowId();
    const sealed = secret === null ? {} : await this.seal(organizationId, id, secret);
    return this.on.database.withTenant(organizationId, async (tx) => {
      await lockIdentity(tx);
      const generation = ((await tx.manager.maximum(IdpConfigEntity, 'generation')) ?? 0) + 1;
      const discovered = { discovered_metadata: metadata, jwks, discovered_at: CLOCK };
      const row = { id, tenant_id: organizationId, generation, ...settings, created_by: actor.id };
      await insertRows(tx, IdpConfigEntity, [{ ...row, ...discovered, ...sealed }]);
      const detail = { generation, issuer_digest: digestOfText(settings.issuer) };
      await auditStep(tx, { actor, action: 'idp.create', target: id, detail });
      if (email !== null) await armOwner(tx, { configId: id, email, actor });
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
    const { client_secret: secret, bootstrap_owner_email: address, ...settings } = changes;
    if (settings.scopes !== undefined) checkScopes(settings.scopes);
    if (settings.alg_allowlist !== undefined) checkAlgorithms(settings.alg_allowlist);
    if (settings.claim_mappings !== undefined) checkClaimMappings(settings.claim_mappings);
    const email = address == null ? address : normalizedEmail('bootstrap_owner_email', address);
    const sealed = await this.sealedChange(organizationId, id, secret);
    return this.on.database.withTenant(organizationId, async (tx) => {
      await lockIdentity(tx);
      const found = await findIdpConfig(tx, id);
      const auth = settings.token_endpoint_auth ?? found.token_endpoint_auth;
      const hasSecret = secret === undefined ? await holdsSecret(tx, id) : secret !== null;
      const problem = secretProblem(auth, hasSecret);
      if (problem !== null) throw new SandgateError('conflict', problem);
      const columns = { ...settings, ...sealed, ...(email === null ? DISARMED : {}) };
      await changeRow(tx, IdpConfigEntity, { id }, { ...columns, updated_at: CLOCK });
      await auditStep(tx, { actor, action: 'idp.patch', target: id, detail: { changed: Object.keys(changes).sort() } });
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

function holdsSecret(tx: TenantTransaction, id: string): Promise<boolean> {
  return tx.manager.existsBy(IdpConfigEntity, { id, client_secret_sealed: Not(IsNull()) });
}
