import { digestOfText } from '../../../domain/digest/digest.js';
import { SandgateError } from '../../../domain/errors.js';
import { changeRow, CLOCK } from '../../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../../record/database.js';
import { auditStep, type AuditActor } from '../audit-log.js';
import { IdpConfigEntity, type IdpStatus } from '../idp-config.entity.js';
import { checkProviderSettings } from '../provider-check.js';
import { findIdpConfig, type IdpConfigs, type NewIdp } from './idp-configs.js';
import { lockIdentity } from './lock-identity.js';

/** What ended because a provider is active no more: what was alive of each. */
export interface EndedLogins {
  flows: number;
  switches: number;
  sessions: number;
}

/** What a migration came to. */
export interface IdpMigration extends EndedLogins {
  oldConfig: IdpConfigEntity;
  newConfig: IdpConfigEntity;
  membershipsDeactivated: number;
}

interface MoveOf {
  id: string;
  actor: AuditActor;
}

/**
 * Moves providers between their statuses: staged to active, active to disabled and back, active to retired by a migration alone. Each
 * move is behind the locks of all providers of the organization, so of two that exclude each other one is refused.
 */
export class IdpMoves {
  constructor(
    private readonly database: Database,
    private readonly configs: Pick<IdpConfigs, 'stage'>,
  ) {}

  /** @throws SandgateError `not_found`; `conflict` unless it is staged and no other one is active */
  activate(organizationId: string, { id, actor }: MoveOf): Promise<IdpConfigEntity> {
    return this.behindLocks(organizationId, async (tx) => {
      await enter(tx, id, 'staged');
      await auditStep(tx, { actor, action: 'idp.activate', target: id });
      return findIdpConfig(tx, id);
    });
  }

  /** @throws SandgateError `not_found`; `conflict` unless it is disabled and no other one is active */
  reactivate(organizationId: string, { id, actor }: MoveOf): Promise<IdpConfigEntity> {
    return this.behindLocks(organizationId, async (tx) => {
      await enter(tx, id, 'disabled');
      await auditStep(tx, { actor, action: 'idp.reactivate', target: id });
      return findIdpConfig(tx, id);
    });
  }

  /** Ends every login and session of the provider with it. @throws SandgateError `not_found`; `conflict` unless it is active */
  disable(organizationId: string, { id, actor }: MoveOf): Promise<EndedLogins> {
    return this.behindLocks(organizationId, async (tx) => {
      const ended = await leave(tx, id, 'disabled');
      await auditStep(tx, { actor, action: 'idp.disable', target: id, detail: countsOf(ended) });
      return ended;
    });
  }

  /**
   * Puts another issuer in the place of the active one (CP-269). The new one is staged first, and stays so when the swap is refused.
   *
   * @param carryForward the members whom the old one vouched for stay members, with their tokens; else they are deactivated
   * @throws SandgateError `not_found`; `conflict` unless `id` is active; as `IdpConfigs.stage`
   */
  async migrate(
    organizationId: string,
    { id, actor, wish, carryForward }: MoveOf & { wish: NewIdp; carryForward: boolean },
  ): Promise<IdpMigration> {
    checkProviderSettings(wish);
    await this.database.withTenant(organizationId, (tx) => requireStatus(tx, id, 'active'));
    const staged = await this.configs.stage(organizationId, wish, actor);
    return this.behindLocks(organizationId, async (tx) => {
      const old = await requireStatus(tx, id, 'active');
      const ended = await leave(tx, id, 'retired');
      await enter(tx, staged.id, 'staged');
      const membershipsDeactivated = carryForward ? 0 : await deactivateProvisioned(tx, id);
      const issuers = { old_issuer_digest: digestOfText(old.issuer), new_issuer_digest: digestOfText(wish.issuer) };
      const came = { ...countsOf(ended), memberships_deactivated: membershipsDeactivated };
      const detail = { ...issuers, new_config: staged.id, carry_forward: carryForward, ...came };
      await auditStep(tx, { actor, action: 'idp.migrate', target: id, detail });
      const [oldConfig, newConfig] = [await findIdpConfig(tx, id), await findIdpConfig(tx, staged.id)];
      return { oldConfig, newConfig, ...ended, membershipsDeactivated };
    });
  }

  private behindLocks<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.database.withTenant(organizationId, async (tx) => {
      await lockIdentity(tx);
      return work(tx);
    });
  }
}

/** Makes a provider the active one. */
async function enter(tx: TenantTransaction, id: string, from: IdpStatus): Promise<void> {
  await requireStatus(tx, id, from);
  if (await tx.manager.existsBy(IdpConfigEntity, { status: 'active' })) {
    throw new SandgateError('conflict', 'another identity provider is active; disable it first, or migrate it');
  }
  await changeRow(tx, IdpConfigEntity, { id }, { status: 'active', updated_at: CLOCK });
}

/** Takes the active provider out of use. */
async function leave(tx: TenantTransaction, id: string, to: 'disabled' | 'retired'): Promise<EndedLogins> {
  await requireStatus(tx, id, 'active');
  await changeRow(tx, IdpConfigEntity, { id }, { status: to, updated_at: CLOCK });
  const [ended] = await tx.query<EndedLogins>('select * from svc_end_idp_logins($1)', [id]);
  if (ended === undefined) throw new Error('svc_end_idp_logins answered nothing');
  return ended;
}

async function requireStatus(tx: TenantTransaction, id: string, status: IdpStatus): Promise<IdpConfigEntity> {
  const found = await findIdpConfig(tx, id);
  if (found.status === status) return found;
  throw new SandgateError('conflict', `the identity provider is ${found.status}, not ${status}`);
}

async function deactivateProvisioned(tx: TenantTransaction, configId: string): Promise<number> {
  const [row] = await tx.query<{ deactivated: number }>('select svc_deactivate_provisioned($1) as deactivated', [
    configId,
  ]);
  return row?.deactivated ?? 0;
}

function countsOf({ flows, switches, sessions }: EndedLogins) {
  return { flows_cancelled: flows, switches_cancelled: switches, sessions_revoked: sessions };
}
