import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { IsNull } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { changeRow, CLOCK } from '../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { findRow, queryRow, queryRows } from '../record/query-row.js';
import { shareLookups, type Lookup } from '../record/shared-lookups.js';
import { auditStep, type AuditActor } from './audit-log.js';
import { PersonalTokenEntity } from './personal-token.entity.js';
import { inOrderOf, memberOf, type LiveMember, type LiveRow } from './web-sessions.js';

export type PersonalToken = Readonly<Omit<PersonalTokenEntity, 'kind'>>;

const PERSONAL_TOKEN = /^svc_pat_[0-9a-f]{64}$/;
const PREFIX_CHARS = 12;
const MAX_NAME_CHARS = 100;
const MIN_TTL_SECS = 60;
const MAX_TTL_SECS = 365 * 24 * 3600;
const DEFAULT_TTL_SECS = 90 * 24 * 3600;
/** Most tokens of one person that a list answers. */
const MAX_LISTED = 1000;

/** A token that a person wants. */
export interface NewPersonalToken {
  userId: string;
  membershipId: string;
  name: string;
  /** Brought between a minute and a year; 90 days when absent. Every token ends. */
  expiresInSecs?: number | null | undefined;
}

/**
 * Mints a token that stands for the person, and puts that on record. The plain text is answered once and never stored (CP-285).
 *
 * @throws SandgateError `invalid_request` for a name that is empty or too long
 */
export async function mintPersonalToken(
  tx: TenantTransaction,
  actor: AuditActor,
  { userId, membershipId, name, expiresInSecs }: NewPersonalToken,
): Promise<{ token: string; pat: PersonalToken }> {
  const [id, token] = [newRowId(), `svc_pat_${randomBytes(32).toString('hex')}`];
  await tx.query('select svc_insert_personal_token($1, $2, $3, $4, $5, $6, $7)', [
    id,
    membershipId,
    userId,
    tokenName(name),
    token.slice(0, PREFIX_CHARS),
    hash('sha256', token, 'hex'),
    Math.min(Math.max(expiresInSecs ?? DEFAULT_TTL_SECS, MIN_TTL_SECS), MAX_TTL_SECS),
  ]);
  const pat = await tx.manager.findOneByOrFail(PersonalTokenEntity, { id });
  const detail = { user_id: userId, expires_at: pat.expires_at.toISOString() };
  await auditStep(tx, { actor, action: 'token.mint', target: id, detail });
  return { token, pat };
}

/** The person's tokens, newest first, those that are over among them. */
export async function listPersonalTokens(tx: TenantTransaction, userId: string): Promise<PersonalToken[]> {
  return tx.manager.find(PersonalTokenEntity, {
    where: { user_id: userId, kind: 'pat' },
    order: { id: 'DESC' },
    take: MAX_LISTED,
  });
}

/** Ends a token of that person, and puts that on record. @returns false when they have no such token that is not revoked */
export async function revokePersonalToken(
  tx: TenantTransaction,
  actor: AuditActor,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const live = { id, user_id: userId, kind: 'pat', revoked_at: IsNull() } as const;
  const revoked = await changeRow(tx, PersonalTokenEntity, live, { revoked_at: CLOCK });
  if (revoked) await auditStep(tx, { actor, action: 'token.revoke', target: id, detail: { user_id: userId } });
  return revoked;
}

/** The person behind a live personal access token. */
export type TokenMember = LiveMember & { tokenId: string };

/**
 * Finds the member behind a token that a request uses (docs/design/identity.md); null for what is unknown, revoked or expired, and for a
 * member, user or organization that is no longer active. Requests that arrive together share a statement.
 */
export function tokensInUse(pool: pg.Pool): Lookup<TokenMember> {
  return shareLookups((tokens) => useTokens(pool, tokens));
}

async function useTokens(pool: pg.Pool, tokens: readonly string[]): Promise<(TokenMember | null)[]> {
  const digests = tokens.filter((token) => PERSONAL_TOKEN.test(token)).map((token) => hash('sha256', token, 'hex'));
  if (digests.length === 0) return tokens.map(() => null);
  const rows = await queryRows<LiveRow & { token_id: string }>(pool, {
    name: 'svc_find_personal_tokens',
    text: 'select * from svc_find_personal_tokens($1)',
    values: [digests],
  });
  for (const row of rows.filter(({ is_due: isDue }) => isDue)) {
    await queryRow(pool, {
      name: 'svc_note_token_use',
      text: 'select svc_note_token_use($1)',
      values: [row.token_id],
    });
  }
  return inOrderOf(tokens, rows).map((row) => (row === null ? null : { tokenId: row.token_id, ...memberOf(row) }));
}

/**
 * Whose token it is, whether or not they may sign in at this moment: a member who is deactivated, or whose organization is suspended, gives
 * up a token that would work again afterwards. Null for what is unknown, revoked or expired.
 */
export async function findTokenHolder(
  pool: pg.Pool,
  token: string,
): Promise<{ tokenId: string; organizationId: string; userId: string } | null> {
  if (!PERSONAL_TOKEN.test(token)) return null;
  const row = await findRow<{ token_id: string; organization_id: string; user_id: string }>(pool, {
    name: 'svc_find_token_holder',
    text: 'select * from svc_find_token_holder($1)',
    values: [hash('sha256', token, 'hex')],
  });
  return row === null ? null : { tokenId: row.token_id, organizationId: row.organization_id, userId: row.user_id };
}

function tokenName(given: string): string {
  const name = given.trim();
  if (name !== '' && name.length <= MAX_NAME_CHARS) return name;
  throw new SandgateError('invalid_request', `name: 1 to ${MAX_NAME_CHARS} characters`);
}
