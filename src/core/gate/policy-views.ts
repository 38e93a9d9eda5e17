import type pg from 'pg';
import type { RestingValue } from '../../platform/seal/sealer.js';
import { queryRow } from '../record/query-row.js';

/** A sealed view of one call, ready to be stored. */
export interface SealedPolicyView extends RestingValue {
  runId: string;
  toolCallId: string;
}

/**
 * Keeps views of one organization in one round trip; of a call that has one already the first stays.
 *
 * @param keepSecs retention in seconds
 * @returns how many are new
 */
export async function insertPolicyViews(
  pool: pg.Pool,
  organizationId: string,
  views: readonly SealedPolicyView[],
  keepSecs: number,
): Promise<number> {
  const { kept } = await queryRow<{ kept: number }>(pool, {
    name: 'svc_keep_policy_views',
    text: 'select svc_keep_policy_views($1, $2::uuid[], $3::text[], $4::bytea[], $5::smallint[], $6) as kept',
    values: [
      organizationId,
      views.map((view) => view.runId),
      views.map((view) => view.toolCallId),
      views.map((view) => view.sealed),
      views.map((view) => view.keyVersion),
      keepSecs,
    ],
  });
  return kept;
}
