import type pg from 'pg';
import { queryRow } from '../record/query-row.js';

/** Whether any active organization has an active identity provider, so that somebody can sign in at all. */
export async function hasIdentityProvider(pool: pg.Pool): Promise<boolean> {
  const row = await queryRow<{ found: boolean }>(pool, { text: 'select svc_has_identity_provider() as found' });
  return row.found;
}
