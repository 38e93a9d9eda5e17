import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { newRowId } from '../../platform/postgres/row-id.js';
import { CLOCK, insertRows } from '../../platform/postgres/write-rows.js';
import { IsNull } from 'typeorm';
import type { TenantTransaction } from '../record/database.js';
import { findRow } from '../record/query-row.js';
import { TriggerTokenEntity } from './trigger-token.entity.js';

/** Whose token it is. */
export interface TriggerTokenInfo {
  tokenId: string;
  organizationId: string;
  subscriptionId: string;
}

const TRIGGER_TOKEN = /^svc_trig_[0-9a-f]{64}$/;

/** Mints a token of a subscription. The plain text is answered once and never stored (CP-231). */
export async function mintTriggerToken(tx: TenantTransaction, subscriptionId: string): Promise<string> {
  const token = `svc_trig_${randomBytes(32).toString('hex')}`;
  await insertRows(tx, TriggerTokenEntity, [
    {
      id: newRowId(),
      tenant_id: tx.organizationId,
      kind: 'trigger',
      subscription_id: subscriptionId,
      token_sha256: hash('sha256', token, 'hex'),
    },
  ]);
  return token;
}

/** @returns how many live tokens the subscription had */
export async function revokeTriggerTokens(tx: TenantTransaction, subscriptionId: string): Promise<number> {
  const live = { subscription_id: subscriptionId, kind: 'trigger', revoked_at: IsNull() } as const;
  return (await tx.manager.update(TriggerTokenEntity, live, { revoked_at: CLOCK })).affected ?? 0;
}

/** The subscription of a token, across organizations; null for what is unknown, revoked or expired. */
export async function findTriggerToken(pool: pg.Pool, token: string): Promise<TriggerTokenInfo | null> {
  if (!TRIGGER_TOKEN.test(token)) return null;
  const row = await findRow<{ token_id: string; organization_id: string; subscription_id: string }>(pool, {
    name: 'svc_find_trigger_token',
    text: 'select * from svc_find_trigger_token($1)',
    values: [hash('sha256', token, 'hex')],
  });
  if (row === null) return null;
  return { tokenId: row.token_id, organizationId: row.organization_id, subscriptionId: row.subscription_id };
}
