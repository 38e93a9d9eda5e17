import { SandgateError } from '../../domain/errors.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import type { TenantTransaction } from '../../platform/db/database.js';

/**
 * Refuses a run for which there is neither capacity nor room in the organization's queue, before anything is created
 * (chapter 10 §5). With a limited queue, creations of one organization take turns, so that the limit is exact.
 */
export async function requireQueueRoom(tx: TenantTransaction, capacity: SandgateConfig['capacity']): Promise<void> {
  const { tenantQueueDepth: depth, tenantMaxActive: maxActive } = capacity;
  if (depth === null || maxActive === null) return;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`queue:${tx.organizationId}`]);
  const [row] = await tx.query<{ held: string; waiting: string }>(
    `select count(*) filter (where capacity_held) as held,
            count(*) filter (where not capacity_held and status in ('created', 'queued')) as waiting
       from sessions where status not in ('completed', 'failed', 'cancelled', 'budget_exceeded')`,
  );
  const room = maxActive - Number(row?.held ?? 0) + depth - Number(row?.waiting ?? 0);
  if (room > 0) return;
  throw new SandgateError('queue_full', `the run queue is full: ${maxActive} runs are active and ${depth} may wait`, {
    retryAfterSeconds: capacity.launchRequeueBackoffSecs,
  });
}
