import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { TenantTransaction } from '../record/database.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

export const AUDIENCES = ['tool', 'control', 'workspace', 'llm'] as const;
export type Audience = (typeof AUDIENCES)[number];

export interface RunTokenInfo {
  tokenId: string;
  organizationId: string;
  sessionId: string;
  audience: Audience;
  expired: boolean;
  revoked: boolean;
}

const SESSION_TOKEN = /^svc_sess_[0-9a-f]{64}$/;

/** Hex SHA-256 under which a token is stored; null for a text that cannot be a token of a run. */
export function digestRunToken(token: string): string | null {
  return SESSION_TOKEN.test(token) ? hash('sha256', token, 'hex') : null;
}

/**
 * Mints the four tokens of a run and revokes older ones: plain texts are never stored, so a repeated launch needs new ones
 * (docs/design/runner.md).
 */
export async function mintRunTokens(
  tx: TenantTransaction,
  sessionId: string,
  ttlSecs: number,
): Promise<Record<Audience, string>> {
  await revokeTokens(tx, sessionId);
  const minted = AUDIENCES.map((audience) => {
    const token = `svc_sess_${randomBytes(32).toString('hex')}`;
    return { id: uuidv7(), audience, token, digest: hash('sha256', token, 'hex') };
  });
  await tx.query(
    `insert into api_tokens (id, tenant_id, session_id, audience, token_sha256, expires_at)
     select t.id, $1, $2, t.audience, t.digest, clock_timestamp() + make_interval(secs => $3)
     from unnest($4::uuid[], $5::text[], $6::text[]) as t (id, audience, digest)`,
    [
      tx.organizationId,
      sessionId,
      ttlSecs,
      minted.map((one) => one.id),
      minted.map((one) => one.audience),
      minted.map((one) => one.digest),
    ],
  );
  return Object.fromEntries(minted.map((one) => [one.audience, one.token])) as Record<Audience, string>;
}

/** The run that a token belongs to, across organizations; null when there is none. The caller checks the audience first. */
export async function lookupRunToken(pool: pg.Pool, sha256Hex: string): Promise<RunTokenInfo | null> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{
      token_id: string;
      organization_id: string;
      session_id: string;
      audience: Audience;
      expired: boolean;
      revoked: boolean;
    }>({ name: 'svc_lookup_run_token', text: 'select * from svc_lookup_run_token($1)', values: [sha256Hex] }),
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    tokenId: row.token_id,
    organizationId: row.organization_id,
    sessionId: row.session_id,
    audience: row.audience,
    expired: row.expired,
    revoked: row.revoked,
  };
}

/** Extends all tokens of the run that are not revoked. @returns false when they were revoked meanwhile */
export async function renewTokens(tx: TenantTransaction, sessionId: string, ttlSecs: number): Promise<boolean> {
  const renewed = await tx.query(
    `update api_tokens set expires_at = clock_timestamp() + make_interval(secs => $2)
     where session_id = $1 and revoked_at is null returning id`,
    [sessionId, ttlSecs],
  );
  return renewed.length > 0;
}

export async function revokeTokens(tx: TenantTransaction, sessionId: string): Promise<void> {
  await tx.query('update api_tokens set revoked_at = clock_timestamp() where session_id = $1 and revoked_at is null', [
    sessionId,
  ]);
}
