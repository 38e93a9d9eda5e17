import { SandgateError } from '../../../domain/errors.js';
import { digestOfText } from '../../../domain/digest/digest.js';
import { newRowId } from '../../../platform/postgres/row-id.js';
import type { Database, TenantTransaction } from '../../record/database.js';
import { auditStep, type AuditActor } from '../audit-log.js';
import { IdpConfigEntity } from '../idp-config.entity.js';
import { hasOwner, lockIdentity } from './lock-identity.js';

const ARMED_SECS = 7 * 24 * 3600;

export interface ArmedOwner {
  /** Id of the entry in the audit log, which the consuming login repeats. */
  armId: string;
  expiresAt: Date;
  config: IdpConfigEntity;
}

/**
 * Lets the next verified login with an address become the first owner, within seven days and once. The caller holds the locks of
 * `lockIdentity`.
 *
 * @param email normalized
 * @throws SandgateError `conflict` while an active owner exists
 */
export async function armOwner(
  tx: TenantTransaction,
  { configId, email, actor }: { configId: string; email: string; actor: AuditActor },
): Promise<Pick<ArmedOwner, 'armId' | 'expiresAt'>> {
  if (await hasOwner(tx)) {
    throw new SandgateError('conflict', 'the organization has an active owner; an address is armed only without one');
  }
  const armId = newRowId();
  const [row] = await tx.query<{ expires_at: Date }>('select svc_arm_owner($1, $2, $3, $4) as expires_at', [
    configId,
    email,
    armId,
    ARMED_SECS,
  ]);
  if (row === undefined) throw new Error('svc_arm_owner answered nothing');
  const detail = { email_digest: digestOfText(email) };
  await auditStep(tx, { id: armId, actor, action: 'break_glass.arm', target: configId, detail });
  return { armId, expiresAt: row.expires_at };
}

/** Arms the active provider (CP-269). @throws SandgateError `conflict` without an active provider, and while an active owner exists */
export function armBreakGlass(
  db: Database,
  organizationId: string,
  { email, actor }: { email: string; actor: AuditActor },
): Promise<ArmedOwner> {
  return db.withTenant(organizationId, async (tx) => {
    await lockIdentity(tx);
    const active = await tx.manager.findOneBy(IdpConfigEntity, { status: 'active' });
    if (active === null) throw new SandgateError('conflict', 'the organization has no active identity provider');
    const armed = await armOwner(tx, { configId: active.id, email, actor });
    return { ...armed, config: await tx.manager.findOneByOrFail(IdpConfigEntity, { id: active.id }) };
  });
}
