import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { TenantTransaction } from '../record/database.js';
import { findRow } from '../record/query-row.js';
import { newRowId } from '../../platform/postgres/row-id.js';

export const AUDIENCES = ['tool', 'control', 'workspace', 'llm'] as const;
export type Audience = (typeof AUDIENCES)[number];

export interface RunTokenInfo {
  tokenId: string;
  organizationId: string;
  runId: string;
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
  runId: string,
  ttlSecs: number,
): Promise<Record<Audience, string>> {
  const minted = AUDIENCES.map((audience) => {
    const token = `svc_sess_${randomBytes(32).toString('hex')}`;
    return { id: newRowId(), audience, token, digest: hash('sha256', token, 'hex') };
  });
  await tx.query('select svc_mint_run_tokens($1, $2, $3, $4, $5, $6)', [
    tx.organizationId,
    runId,
    ttlSecs,
    minted.map((one) => one.id),
    minted.map((one) => one.audience),
    minted.map((one) => one.digest),
  ]);
  return Object.fromEntries(minted.map((one) => [one.audience, one.token])) as Record<Audience, string>;
}

/** The run that a token belongs to, across organizations; null when there is none. The caller checks the audience first. */
export async function lookupRunToken(pool: pg.Pool, sha256Hex: string): Promise<RunTokenInfo | null> {
  const row = await findRow<{
    token_id: string;
    organization_id: string;
    session_id: string;
    audience: Audience;
    expired: boolean;
    revoked: boolean;
  }>(pool, { name: 'svc_lookup_run_token', text: 'select * from svc_lookup_run_token($1)', values: [sha256Hex] });
  if (row === null) return null;
  return {
    tokenId: row.token_id,
    organizationId: row.organization_id,
    runId: row.session_id,
    audience: row.audience,
    expired: row.expired,
    revoked: row.revoked,
  };
}

/** Extends all tokens of the run that are not revoked. @returns false when they were revoked meanwhile */
export async function renewTokens(tx: TenantTransaction, runId: string, ttlSecs: number): Promise<boolean> {
  const [answer] = await tx.query<{ renewed: boolean }>('select svc_renew_run_tokens($1, $2) as renewed', [
    runId,
    ttlSecs,
  ]);
  return answer?.renewed === true;
}
