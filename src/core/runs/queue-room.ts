import { SandgateError } from '../../domain/errors.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import { countFreePlaces } from './capacity.js';
import type { TenantTransaction } from '../record/database.js';
import { lockName } from '../record/named-lock.js';

/**
 * Refuses a run that would wait beyond the depth of its organization's queue, before anything is created (docs/design/runs.md). What
 * can be admitted at once does not wait, so places count: under both caps and on the hosts. Creations of one organization share
 * one lock, so that the limit is exact.
 */
export async function requireQueueRoom(tx: TenantTransaction, capacity: SandgateConfig['capacity']): Promise<void> {
  const { tenantQueueDepth: depth } = capacity;
  if (depth === null) return;
  await lockName(tx, `queue:${tx.organizationId}`);
  if ((await countFreePlaces(tx, capacity)) + depth > 0) return;
  throw new SandgateError(
    'queue_full',
    `the run queue is full: ${depth} runs of the organization may wait; try again later`,
    {
      retryAfterSeconds: capacity.launchRequeueBackoffSecs,
    },
  );
}
