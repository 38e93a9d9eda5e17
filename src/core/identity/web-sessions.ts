import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { IsNull } from 'typeorm';
import type { Role } from '../../domain/identity/role.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { changeRow, CLOCK } from '../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { queryRow, queryRows } from '../record/query-row.js';
import { shareLookups, type Lookup } from '../record/shared-lookups.js';
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
 * organization that is no longer active. Being asked is no use of the session.
 */
export async function findWebSession(
  pool: pg.Pool,
  token: string,
  windows: Pick<SessionWindows, 'idleSecs'>,
): Promise<LiveSession | null> {
  const [row] = await findLive(pool, [token], windows);
  return row === undefined ? null : sessionOf(row);
}

/** As `findWebSession`, for a request that uses the session (docs/design/identity.md). */
export async function useWebSession(
  pool: pg.Pool,
  token: string,
  windows: Pick<SessionWindows, 'idleSecs'>,
): Promise<LiveSession | null> {
  const [session] = await useWebSessions(pool, [token], windows);
  return session ?? null;
}

/** As `useWebSession`, for many requests: those that arrive together share a statement. */
export function sessionsInUse(pool: pg.Pool, windows: Pick<SessionWindows, 'idleSecs'>): Lookup<LiveSession> {
  return shareLookups((tokens) => useWebSessions(pool, tokens, windows));
}

async function useWebSessions(
  pool: pg.Pool,
  tokens: readonly string[],
  windows: Pick<SessionWindows, 'idleSecs'>,
): Promise<(LiveSession | null)[]> {
  const rows = await findLive(pool, tokens, windows);
  for (const row of rows.filter(({ is_due: isDue }) => isDue)) {
    await queryRow(pool, {
      name: 'svc_slide_web_session',
      text: 'select svc_slide_web_session($1, $2)',
      values: [row.session_id, windows.idleSecs],
    });
  }
  return inOrderOf(tokens, rows).map((row) => (row === null ? null : sessionOf(row)));
}

async function findLive(
  pool: pg.Pool,
  tokens: readonly string[],
  { idleSecs }: Pick<SessionWindows, 'idleSecs'>,
): Promise<SessionRow[]> {
  const digests = tokens.filter((token) => WEB_TOKEN.test(token)).map((token) => hash('sha256', token, 'hex'));
  if (digests.length === 0) return [];
  return queryRows<SessionRow>(pool, {
    name: 'svc_find_web_sessions',
    text: 'select * from svc_find_web_sessions($1, $2)',
    values: [digests, idleSecs],
  });
}

function sessionOf(row: SessionRow): LiveSession {
  return { sessionId: row.session_id, ...memberOf(row) };
}

/** @returns false when the session is not there or was revoked before */
export function revokeWebSession(tx: TenantTransaction, id: string): Promise<boolean> {
  return changeRow(tx, WebSessionEntity, { id, revoked_at: IsNull() }, { revoked_at: CLOCK });
}

/** A row of the lookups of sessions and personal tokens; `is_due` when a use of it is to be written. */
export interface LiveRow {
  sha256: string;
  organization_id: string;
  membership_id: string;
  user_id: string;
  roles: Role[];
  is_due: boolean;
}

type SessionRow = LiveRow & { session_id: string };

/** The row of each token, null where it has none. */
export function inOrderOf<R extends LiveRow>(tokens: readonly string[], rows: readonly R[]): (R | null)[] {
  const found = new Map(rows.map((row) => [row.sha256, row]));
  return tokens.map((token) => found.get(hash('sha256', token, 'hex')) ?? null);
}

export function memberOf(row: LiveRow): LiveMember {
  return {
    organizationId: row.organization_id,
    userId: row.user_id,
    membershipId: row.membership_id,
    roles: row.roles,
  };
}
