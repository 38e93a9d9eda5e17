import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { IsNull } from 'typeorm';
import type { Role } from '../../domain/identity/role.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { changeRow, CLOCK } from '../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { findRow } from '../record/query-row.js';
import { WebSessionEntity } from './web-session.entity.js';

const WEB_TOKEN = /^svc_web_[0-9a-f]{64}$/;

/** The person behind a live credential, with the roles of this moment. */
export interface LiveMember {
  organizationId: string;
  userId: string;
  membershipId: string;
  roles: Role[];
}

/** The person behind a live browser session. */
export type LiveSession = LiveMember & { sessionId: string };

/** How long a session lives, in seconds: unused, and at all (CP-282). */
export interface SessionWindows {
  idleSecs: number;
  absoluteSecs: number;
}

/** What a login knows of the session that it makes. */
export interface NewWebSession {
  /** Given where an ID token was sealed for the row. */
  id?: string;
  membershipId: string;
  userId: string;
  idpConfigId: string;
  acr: string | null;
  amr: string[] | null;
  authTime: Date | null;
  idpSid: string | null;
  idToken: { sealed: Buffer; keyVersion: number } | null;
  sourceIp: string | null;
  userAgent: string | null;
}

/** Makes a session. The token is answered once and never stored (CP-285). */
export async function mintWebSession(
  tx: TenantTransaction,
  made: NewWebSession,
  { idleSecs, absoluteSecs }: SessionWindows,
): Promise<{ id: string; token: string }> {
  const id = made.id ?? newRowId();
  const token = `svc_web_${randomBytes(32).toString('hex')}`;
  await tx.query('select svc_insert_web_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)', [
    id,
    made.membershipId,
    made.userId,
    hash('sha256', token, 'hex'),
    made.idpConfigId,
    made.acr,
    made.amr,
    made.authTime,
    made.idpSid,
    made.idToken?.sealed ?? null,
    made.idToken?.keyVersion ?? 1,
    made.sourceIp,
    made.userAgent,
    Math.min(idleSecs, absoluteSecs),
    absoluteSecs,
  ]);
  return { id, token };
}

/**
 * The member behind a session's token; null for what is unknown, revoked, idled out or past its end, and for a member, user or
 * organization that is no longer active. `slide` counts this as a use (docs/design/identity.md).
 */
export async function findWebSession(
  pool: pg.Pool,
  token: string,
  { idleSecs }: Pick<SessionWindows, 'idleSecs'>,
  slide: boolean,
): Promise<LiveSession | null> {
  if (!WEB_TOKEN.test(token)) return null;
  const row = await findRow<LiveRow & { session_id: string }>(pool, {
    name: 'svc_find_web_session',
    text: 'select * from svc_find_web_session($1, $2, $3)',
    values: [hash('sha256', token, 'hex'), idleSecs, slide],
  });
  return row === null ? null : { sessionId: row.session_id, ...memberOf(row) };
}

/** @returns false when the session is not there or was revoked before */
export function revokeWebSession(tx: TenantTransaction, id: string): Promise<boolean> {
  return changeRow(tx, WebSessionEntity, { id, revoked_at: IsNull() }, { revoked_at: CLOCK });
}

/** A row of the lookups of sessions and personal tokens. */
export interface LiveRow {
  organization_id: string;
  membership_id: string;
  user_id: string;
  roles: Role[];
}

export function memberOf(row: LiveRow): LiveMember {
  return {
    organizationId: row.organization_id,
    userId: row.user_id,
    membershipId: row.membership_id,
    roles: row.roles,
  };
}
