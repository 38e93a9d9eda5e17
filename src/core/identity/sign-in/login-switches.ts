import { IsNull } from 'typeorm';
import { newRowId } from '../../../platform/postgres/row-id.js';
import { aheadOfClock, changeRow, CLOCK, insertRows } from '../../../platform/postgres/write-rows.js';
import type { Sealer } from '../../../platform/seal/sealer.js';
import { OrganizationEntity } from '../../organizations/organization.entity.js';
import { findRow } from '../../record/query-row.js';
import type { Database, TenantTransaction } from '../../record/database.js';
import { auditStep } from '../audit-log.js';
import { nameMember, type NamedMember } from '../members.js';
import { MembershipEntity } from '../membership.entity.js';
import { UserEntity } from '../user.entity.js';
import { mintWebSession, type LiveSession } from '../web-sessions.js';
import { LoginSwitchEntity } from './login-switch.entity.js';
import { lockActiveConfig } from './relying-party.js';
import { digestOf, randomSecret, type SignInParts } from './sign-in-parts.js';
import { actorOf, placeOfIdToken, type VerifiedLogin, type Visit } from './verified-login.js';

/** How long a person has to confirm. */
export const SWITCH_TTL_SECS = 120;

/** A switch that waits for its person. */
export interface BegunSwitch {
  id: string;
  cookie: string;
  redirectTo: string;
  /** Whose session there would be. */
  to: NamedMember;
}

/** Keeps a login that would replace somebody else's session. That session stays as it is. */
export async function beginSwitch(
  tx: TenantTransaction,
  { sealer }: { sealer: Sealer },
  begun: {
    configId: string;
    member: { userId: string; membershipId: string };
    login: VerifiedLogin;
    held: LiveSession;
  },
): Promise<BegunSwitch> {
  const { configId, member, login, held } = begun;
  const { checked, idToken, redirectTo } = login;
  const [id, cookie] = [newRowId(), randomSecret()];
  const sealed = await sealer.seal(placeOfPendingToken(tx.organizationId, id), idToken);
  await insertRows(tx, LoginSwitchEntity, [
    {
      id,
      tenant_id: tx.organizationId,
      idp_config_id: configId,
      new_membership_id: member.membershipId,
      new_user_id: member.userId,
      replaced_tenant_id: held.organizationId,
      replaced_session_id: held.sessionId,
      redirect_to: redirectTo,
      browser_hash: digestOf(cookie),
      acr: checked.acr,
      amr: checked.amr,
      auth_time: checked.authTimeSecs === null ? null : new Date(checked.authTimeSecs * 1000),
      idp_sid: checked.sid,
      id_token_sealed: sealed.bytes,
      id_token_key_version: sealed.keyVersion,
      expires_at: () => `clock_timestamp() + make_interval(secs => ${SWITCH_TTL_SECS})`,
    },
  ]);
  return { id, cookie, redirectTo, to: await nameMember(tx, member.userId) };
}

/** What the page of a switch sends back. */
export interface SwitchConfirmation {
  switchId: string;
  /** Of the switch's cookie; null without one. */
  cookie: string | null;
  /** The live session of the request. */
  sessionId: string;
  visit: Visit;
}

/** The end of a switch: its person confirmed it. */
export class LoginSwitches {
  constructor(private readonly parts: SignInParts) {}

  /**
   * Replaces a session by the one that waits: all of it, or nothing. Locks are taken in the order provider, switch, membership,
   * session, as everything does that ends sessions.
   *
   * @returns null when it is not this browser's, is over, would replace another session than the one that is presented, or provider,
   * member or organization is not active; the session stays as it was
   */
  async confirm(confirmation: SwitchConfirmation): Promise<{ token: string; redirectTo: string } | null> {
    const { database } = this.parts;
    const place = await placeOf(database, confirmation);
    if (place === null) return null;
    try {
      return await database.withTenant(place.organization_id, (tx) =>
        replace(tx, this.parts, place.idp_config_id, confirmation),
      );
    } catch (cause) {
      if (cause instanceof Impossible) return null;
      throw cause;
    }
  }
}

/** Undoes the transaction of a switch that is not possible. */
class Impossible extends Error {
  override readonly name = 'Impossible';
}

function placeOf(
  { pool }: Database,
  { switchId, cookie }: SwitchConfirmation,
): Promise<{ organization_id: string; idp_config_id: string } | null> {
  if (cookie === null) return Promise.resolve(null);
  const values = [switchId, digestOf(cookie)];
  return findRow(pool, { text: 'select * from svc_find_login_switch($1, $2)', values });
}

async function replace(
  tx: TenantTransaction,
  { sealer, windows }: SignInParts,
  configId: string,
  { switchId, sessionId, visit }: SwitchConfirmation,
): Promise<{ token: string; redirectTo: string }> {
  const config = await lockActiveConfig(tx, configId);
  const organization = await tx.manager.findOneBy(OrganizationEntity, { id: tx.organizationId, status: 'active' });
  if (organization === null || config === null) throw new Impossible();
  const pending = await consume(tx, switchId, sessionId);
  await requireActiveMember(tx, pending);
  const [row] = await tx.query<{ replaced: boolean }>('select svc_replace_web_session($1) as replaced', [sessionId]);
  if (row?.replaced !== true) throw new Impossible();
  const session = await mintWebSession(
    tx,
    {
      membershipId: pending.new_membership_id,
      userId: pending.new_user_id,
      idpConfigId: configId,
      acr: pending.acr,
      amr: pending.amr,
      authTime: pending.auth_time,
      idpSid: pending.idp_sid,
      ...(await movedToken(tx, sealer, pending)),
      sourceIp: visit.sourceIp,
      userAgent: visit.userAgent,
    },
    windows,
  );
  await auditStep(tx, {
    actor: actorOf(pending.new_user_id, visit),
    action: 'session.switch',
    target: session.id,
    detail: { idp_config_id: configId, replaced_session: sessionId },
  });
  return { token: session.token, redirectTo: pending.redirect_to };
}

async function consume(tx: TenantTransaction, id: string, sessionId: string): Promise<LoginSwitchEntity> {
  const live = {
    id,
    tenant_id: tx.organizationId,
    replaced_session_id: sessionId,
    consumed_at: IsNull(),
    expires_at: aheadOfClock(),
  };
  if (!(await changeRow(tx, LoginSwitchEntity, live, { consumed_at: CLOCK }))) throw new Impossible();
  return tx.manager.findOneByOrFail(LoginSwitchEntity, { id });
}

async function requireActiveMember(tx: TenantTransaction, pending: LoginSwitchEntity): Promise<void> {
  const status = 'active' as const;
  const membership = await tx.manager.findOne(MembershipEntity, {
    where: { id: pending.new_membership_id, tenant_id: tx.organizationId, status },
    lock: { mode: 'pessimistic_write' },
  });
  const user = await tx.manager.findOneBy(UserEntity, {
    id: pending.new_user_id,
    tenant_id: tx.organizationId,
    status,
  });
  if (membership === null || user === null) throw new Impossible();
}

/** The ID token, sealed for the row of the session instead of that of the switch. */
async function movedToken(tx: TenantTransaction, sealer: Sealer, { id, tenant_id: organizationId }: LoginSwitchEntity) {
  const { id_token_sealed: sealed, id_token_key_version: version } = await tx.manager.findOneOrFail(LoginSwitchEntity, {
    where: { id },
    select: { id: true, id_token_sealed: true, id_token_key_version: true },
  });
  const sessionId = newRowId();
  if (sealed === null) return { id: sessionId, idToken: null };
  const idToken = await sealer.open(placeOfPendingToken(organizationId, id), sealed, version);
  const moved = await sealer.seal(placeOfIdToken(organizationId, sessionId), idToken);
  return { id: sessionId, idToken: { sealed: moved.bytes, keyVersion: moved.keyVersion } };
}

function placeOfPendingToken(organizationId: string, switchId: string) {
  return { organizationId, column: 'pending_login_switches.id_token', row: switchId };
}
