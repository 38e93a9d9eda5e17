import { hash, randomBytes, randomInt } from 'node:crypto';
import { IsNull } from 'typeorm';
import { newRowId } from '../../platform/postgres/row-id.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { findRow, onlyRow, queryRow } from '../record/query-row.js';
import { auditRefusal, auditStep, type AuditActor } from './audit-log.js';
import { chargeLoginThrottle } from './login-throttles.js';
import { readActiveMember } from './members.js';
import { MembershipEntity } from './membership.entity.js';
import { findTokenHolder, mintPersonalToken, revokePersonalToken } from './personal-tokens.js';
import type { LiveSession } from './web-sessions.js';
import { WebSessionEntity } from './web-session.entity.js';

/** How long a terminal may wait (RFC 8628 §3.2). */
export const DEVICE_CODE_TTL_SECS = 600;

/** Consonants that are not taken for each other, so that a code is no word (RFC 8628 §6.1). */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const DEVICE_CODE = /^[0-9a-f]{64}$/;

/** Both codes, answered once and never stored (CP-285). */
export interface StartedDeviceLogin {
  deviceCode: string;
  userCode: string;
}

/** A terminal that waits, as it told of itself and as it was seen. */
export interface WaitingTerminal {
  id: string;
  clientName: string;
  sourceIp: string;
  ageSecs: number;
}

/** The errors of RFC 8628 §3.5 and RFC 6749 §5.2. */
export type DevicePollRefusal =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant';

export type DevicePoll = { token: string; expiresInSecs: number } | { refusal: DevicePollRefusal };

interface PollRow {
  id: string;
  state: 'pending' | 'too_soon' | 'expired' | 'denied' | 'consumed' | 'approved';
  organization_id: string;
  user_id: string;
  membership_id: string;
  web_session_id: string;
  client_name: string;
}

/** Signing in from a terminal that has no browser of its own (docs/design/identity.md#terminals). */
export class DeviceLogins {
  /** @param pollSecs how often a terminal may ask, until it is told to slow down */
  constructor(
    private readonly database: Database,
    readonly pollSecs: number,
  ) {}

  /** @throws SandgateError `rate_limited` when too many were started from this address */
  async start(clientName: string, sourceIp: string): Promise<StartedDeviceLogin> {
    await chargeLoginThrottle(this.database.pool, 'device-start-ip', sourceIp);
    const deviceCode = randomBytes(32).toString('hex');
    for (;;) {
      const userCode = newUserCode();
      const { started } = await queryRow<{ started: boolean }>(this.database.pool, {
        name: 'svc_start_device_login',
        text: 'select svc_start_device_login($1, $2, $3, $4, $5, $6, $7) as started',
        values: [
          newRowId(),
          hash('sha256', deviceCode, 'hex'),
          digestOfUserCode(userCode),
          clientName,
          sourceIp,
          DEVICE_CODE_TTL_SECS,
          this.pollSecs,
        ],
      });
      if (started) return { deviceCode, userCode };
    }
  }

  /**
   * The terminal behind a code. Each look counts as a guess, of the session and of the address.
   *
   * @throws SandgateError `rate_limited` when too many codes were tried
   */
  async find(userCode: string, sessionId: string, sourceIp: string): Promise<WaitingTerminal | null> {
    await chargeLoginThrottle(this.database.pool, 'device-code-session', sessionId);
    await chargeLoginThrottle(this.database.pool, 'device-code-ip', sourceIp);
    const row = await findRow<{ id: string; client_name: string; source_ip: string; age_secs: number }>(
      this.database.pool,
      {
        name: 'svc_find_device_login',
        text: 'select * from svc_find_device_login($1)',
        values: [digestOfUserCode(userCode)],
      },
    );
    if (row === null) return null;
    return { id: row.id, clientName: row.client_name, sourceIp: row.source_ip, ageSecs: row.age_secs };
  }

  /** @returns false when nobody waits for this answer any more */
  decide(id: string, approve: boolean, by: LiveSession, actor: AuditActor): Promise<boolean> {
    return this.database.withTenant(by.organizationId, async (tx) => {
      const { decided } = onlyRow(
        await tx.query<{ decided: boolean }>('select svc_decide_device_login($1, $2, $3, $4, $5) as decided', [
          id,
          by.userId,
          by.membershipId,
          by.sessionId,
          approve,
        ]),
        'svc_decide_device_login',
      );
      if (decided) await auditStep(tx, { actor, action: approve ? 'device.approve' : 'device.deny', target: id });
      return decided;
    });
  }

  /**
   * What a terminal hears when it asks. The token of an approved login is made here, once, for a member who may still sign in.
   *
   * @param origin from where it asks, for the throttle and the audit log
   * @throws SandgateError `rate_limited` when this address asked too often; the login is as it was
   */
  async poll(deviceCode: string, origin: { sourceIp: string; requestId: string }): Promise<DevicePoll> {
    await chargeLoginThrottle(this.database.pool, 'device-poll-ip', origin.sourceIp);
    const row = DEVICE_CODE.test(deviceCode) ? await this.ask(deviceCode) : null;
    if (row?.state !== 'approved') return { refusal: refusalOf(row) };
    const actor: AuditActor = { kind: 'user', id: row.user_id, ...origin };
    const minted = await this.database.withTenant(row.organization_id, (tx) => finish(tx, row, actor));
    if ('token' in minted || minted.refusal !== 'access_denied') return minted;
    await auditRefusal(this.database, row.organization_id, {
      actor,
      action: 'token.mint',
      target: row.membership_id,
      detail: { device_login: row.id },
    });
    return minted;
  }

  /** Ends the personal token that somebody holds (RFC 7009); one that is none stays unremarked. */
  async giveUp(token: string, origin: Pick<AuditActor, 'sourceIp' | 'requestId'>): Promise<void> {
    const held = await findTokenHolder(this.database.pool, token);
    if (held === null) return;
    const actor: AuditActor = { kind: 'user', id: held.userId, ...origin };
    await this.database.withTenant(held.organizationId, (tx) =>
      revokePersonalToken(tx, actor, { id: held.tokenId, userId: held.userId }),
    );
  }

  private ask(deviceCode: string): Promise<PollRow | null> {
    return findRow<PollRow>(this.database.pool, {
      name: 'svc_poll_device_login',
      text: 'select * from svc_poll_device_login($1)',
      values: [hash('sha256', deviceCode, 'hex')],
    });
  }
}

/** One of several that ask at once ends the login; the others find it ended. */
async function finish(tx: TenantTransaction, login: PollRow, actor: AuditActor): Promise<DevicePoll> {
  const mayEnter = await stillVouched(tx, login);
  const { settled } = onlyRow(
    await tx.query<{ settled: boolean }>('select svc_settle_device_login($1, $2) as settled', [login.id, mayEnter]),
    'svc_settle_device_login',
  );
  if (!settled) return { refusal: 'invalid_grant' };
  if (!mayEnter) return { refusal: 'access_denied' };
  const { token, pat } = await mintPersonalToken(tx, actor, {
    userId: login.user_id,
    membershipId: login.membership_id,
    name: login.client_name,
  });
  return { token, expiresInSecs: Math.floor((pat.expires_at.getTime() - pat.created_at.getTime()) / 1000) };
}

/**
 * Whether the member is active, locked so that a deactivation meanwhile finds the token, and the session that approved was not
 * revoked.
 */
async function stillVouched(tx: TenantTransaction, login: PollRow): Promise<boolean> {
  const membership = await tx.manager.findOne(MembershipEntity, {
    where: { id: login.membership_id, user_id: login.user_id, status: 'active' },
    lock: { mode: 'pessimistic_read' },
  });
  if (membership === null || (await readActiveMember(tx, login.user_id)) === null) return false;
  return tx.manager.existsBy(WebSessionEntity, { id: login.web_session_id, revoked_at: IsNull() });
}

function refusalOf(row: PollRow | null): DevicePollRefusal {
  switch (row?.state) {
    case 'pending':
      return 'authorization_pending';
    case 'too_soon':
      return 'slow_down';
    case 'denied':
      return 'access_denied';
    case 'expired':
      return 'expired_token';
    default:
      return 'invalid_grant';
  }
}

function newUserCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}

/** However it was typed: case, hyphens and blanks do not count (RFC 8628 §6.1). */
function digestOfUserCode(typed: string): string {
  return hash('sha256', typed.toUpperCase().replace(/[^A-Z]/g, ''), 'hex');
}
