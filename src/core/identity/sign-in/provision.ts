import type { MappedClaims } from '../../../domain/identity/claim-mapping.js';
import { ROLES, type Role } from '../../../domain/identity/role.js';
import { newRowId } from '../../../platform/postgres/row-id.js';
import { changeRow, CLOCK, insertRows, updateRow } from '../../../platform/postgres/write-rows.js';
import { OrganizationEntity } from '../../organizations/organization.entity.js';
import type { TenantTransaction } from '../../record/database.js';
import { auditRefusal, auditStep } from '../audit-log.js';
import { nameMember, type NamedMember } from '../members.js';
import { MembershipEntity } from '../membership.entity.js';
import { UserEntity } from '../user.entity.js';
import { mintWebSession, revokeWebSession, type LiveSession } from '../web-sessions.js';
import { beginSwitch, type BegunSwitch } from './login-switches.js';
import { consumeOwnerArm } from './owner-arm.js';
import { lockActiveConfig } from './relying-party.js';
import type { SignInParts } from './sign-in-parts.js';
import { actorOf, placeOfIdToken, type VerifiedLogin, type Visit } from './verified-login.js';

/** The person has a session now, or is asked whether it may replace that of somebody else. */
export type Provisioned = { token: string; redirectTo: string } | { pending: BegunSwitch; from: NamedMember };

/** A login that ends although the provider proved it. */
export class ProvisioningRefused extends Error {
  override readonly name = 'ProvisioningRefused';

  constructor(
    readonly refusal: 'not_active' | 'deactivated' | 'email_unverified',
    options?: ErrorOptions,
  ) {
    super(`the login is refused: ${refusal}`, options);
  }
}

/** Who signs in, as rows. */
interface Member {
  userId: string;
  membershipId: string;
  roles: Role[];
}

/** A member who may not sign in; the transaction is undone and the refusal goes on record after it. */
class Deactivated extends Error {
  override readonly name = 'Deactivated';

  constructor(readonly userId: string) {
    super('the account or the membership is not active');
  }
}

/**
 * Makes the person a member, as the provider describes them now, and gives them a session: one transaction under the lock of the
 * provider's row.
 *
 * @param at where the login comes from, and the live session that the browser holds
 * @throws ProvisioningRefused `not_active` when provider or organization stopped being active meanwhile, `deactivated`
 */
export async function provision(
  parts: SignInParts,
  { organizationId, configId }: { organizationId: string; configId: string },
  login: VerifiedLogin,
  at: { visit: Visit; held: LiveSession | null },
): Promise<Provisioned> {
  const { held } = at;
  try {
    const made = await parts.database.withTenant(organizationId, async (tx) => {
      await requireActive(tx, configId);
      const known = await upsertMember(tx, configId, login);
      const member = await consumeOwnerArm(tx, configId, known, login.person, actorOf(known.userId, at.visit));
      const isOwn = held?.organizationId === organizationId && held.userId === member.userId;
      if (held !== null && !isOwn)
        return { pending: await beginSwitch(tx, parts, { configId, member, login, held }), held };
      if (held !== null) await revokeWebSession(tx, held.sessionId);
      return signIn(tx, parts, { configId, member, login, visit: at.visit });
    });
    if ('token' in made) return made;
    const { pending, held: replaced } = made;
    const from = await parts.database.withTenant(replaced.organizationId, (tx) => nameMember(tx, replaced.userId));
    return { pending, from };
  } catch (cause) {
    if (!(cause instanceof Deactivated)) throw cause;
    await auditRefusal(parts.database, organizationId, {
      actor: actorOf(cause.userId, at.visit),
      action: 'login.refused_deactivated',
      target: cause.userId,
      detail: { idp_config_id: configId },
    });
    throw new ProvisioningRefused('deactivated', { cause });
  }
}

async function requireActive(tx: TenantTransaction, configId: string): Promise<void> {
  const config = await lockActiveConfig(tx, configId);
  const organization = await tx.manager.findOneBy(OrganizationEntity, { id: tx.organizationId, status: 'active' });
  if (config === null || organization === null) throw new ProvisioningRefused('not_active');
}

async function upsertMember(tx: TenantTransaction, configId: string, login: VerifiedLogin): Promise<Member> {
  const { person, checked } = login;
  const user = await upsertUser(tx, configId, checked.subject, person);
  const key = { tenant_id: tx.organizationId, user_id: user.id };
  const before = await tx.manager.findOne(MembershipEntity, { where: key, lock: { mode: 'pessimistic_write' } });
  if (user.status !== 'active' || (before !== null && before.status !== 'active')) throw new Deactivated(user.id);
  // Only an organization's own people take the role of its owner away.
  const roles = ROLES.filter(
    (role) => person.roles.includes(role) || (role === 'owner' && before?.roles.includes(role) === true),
  );
  const membershipId = before?.id ?? newRowId();
  if (before === null) await insertRows(tx, MembershipEntity, [{ id: membershipId, ...key, roles }]);
  else await changeRow(tx, MembershipEntity, { id: membershipId, ...key }, { roles, updated_at: CLOCK });
  return { userId: user.id, membershipId, roles };
}

/** The provider and its subject are the key; the address is only what it says of them today. */
async function upsertUser(
  tx: TenantTransaction,
  configId: string,
  subject: string,
  { email, emailNormalized, emailVerified, name }: MappedClaims,
): Promise<UserEntity> {
  const key = { tenant_id: tx.organizationId, idp_config_id: configId, subject };
  const described = {
    email,
    email_normalized: emailNormalized,
    email_verified: emailVerified,
    name,
    last_login_at: CLOCK,
    updated_at: CLOCK,
  };
  const known = await updateRow(tx, UserEntity, key, described);
  if (known !== null) return known;
  const id = newRowId();
  await insertRows(tx, UserEntity, [{ id, ...key, ...described }]);
  return tx.manager.findOneByOrFail(UserEntity, { id });
}

async function signIn(
  tx: TenantTransaction,
  { sealer, windows }: SignInParts,
  made: { configId: string; member: Member; login: VerifiedLogin; visit: Visit },
): Promise<{ token: string; redirectTo: string }> {
  const { configId, member, login, visit } = made;
  const { checked, idToken, redirectTo } = login;
  const id = newRowId();
  const sealed = await sealer.seal(placeOfIdToken(tx.organizationId, id), idToken);
  const session = await mintWebSession(
    tx,
    {
      id,
      membershipId: member.membershipId,
      userId: member.userId,
      idpConfigId: configId,
      acr: checked.acr,
      amr: checked.amr,
      authTime: checked.authTimeSecs === null ? null : new Date(checked.authTimeSecs * 1000),
      idpSid: checked.sid,
      idToken: { sealed: sealed.bytes, keyVersion: sealed.keyVersion },
      sourceIp: visit.sourceIp,
      userAgent: visit.userAgent,
    },
    windows,
  );
  await auditStep(tx, {
    actor: actorOf(member.userId, visit),
    action: 'session.login',
    target: session.id,
    detail: { idp_config_id: configId, roles: member.roles },
  });
  return { token: session.token, redirectTo };
}
