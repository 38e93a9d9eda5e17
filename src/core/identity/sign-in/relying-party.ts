import { isSigningAlgorithm } from '../../../domain/identity/signing-keys.js';
import type { RelyingParty } from '../../../platform/oidc/code-exchange.js';
import type { Provider } from '../../../platform/oidc/provider.js';
import type { Sealer } from '../../../platform/seal/sealer.js';
import type { TenantTransaction } from '../../record/database.js';
import { IdpConfigEntity } from '../idp-config.entity.js';

/** The active provider of the organization; null when it has none. */
export function findActiveConfig(tx: TenantTransaction): Promise<IdpConfigEntity | null> {
  return tx.manager.findOneBy(IdpConfigEntity, { tenant_id: tx.organizationId, status: 'active' });
}

/** A configuration while it is active; null afterwards. */
export function findConfig(tx: TenantTransaction, id: string): Promise<IdpConfigEntity | null> {
  return tx.manager.findOneBy(IdpConfigEntity, { tenant_id: tx.organizationId, id, status: 'active' });
}

/**
 * Takes the lock under which everything that changes who may sign in happens: provisioning, switches, migration, disabling, and
 * the arming of owners.
 */
export function lockActiveConfig(tx: TenantTransaction, id: string): Promise<IdpConfigEntity | null> {
  return tx.manager.findOne(IdpConfigEntity, {
    where: { tenant_id: tx.organizationId, id, status: 'active' },
    lock: { mode: 'pessimistic_write' },
  });
}

export function placeOfClientSecret(organizationId: string, configId: string) {
  return { organizationId, column: 'org_idp_configs.client_secret', row: configId };
}

/** Us as the provider knows us, with the opened secret of a confidential client. */
export async function relyingParty(
  tx: TenantTransaction,
  sealer: Sealer,
  config: IdpConfigEntity,
  { provider, skewSecs }: { provider: Provider; skewSecs: number },
): Promise<RelyingParty> {
  const row = await tx.manager.findOneOrFail(IdpConfigEntity, {
    where: { tenant_id: tx.organizationId, id: config.id },
    select: { id: true, client_secret_sealed: true, client_secret_key_version: true },
  });
  const place = placeOfClientSecret(config.tenant_id, config.id);
  const { client_secret_sealed: sealed, client_secret_key_version: version } = row;
  const secret = sealed === null ? null : (await sealer.open(place, sealed, version)).toString();
  return {
    provider,
    clientId: config.client_id,
    proof: { method: config.token_endpoint_auth, secret },
    algorithms: config.alg_allowlist.filter(isSigningAlgorithm),
    skewSecs,
  };
}
