import { SandgateError } from '../../domain/errors.js';
import type { ConcurrencyPolicy } from '../../domain/triggers/subscription.js';
import type { TenantTransaction } from '../record/database.js';
import { SubscriptionEntity } from './subscription.entity.js';

/**
 * Holds a subscription until the end of the transaction, for everything that starts one of its runs or changes what those start from.
 * Starters of one that lets runs stack up do not wait for each other, since nothing is counted.
 *
 * @param use `change` always waits for all others
 * @returns the subscription as it is behind the lock, or null when the organization has none of that id
 * @throws SandgateError `unavailable` when its policy was changed while this waited
 */
export async function lockSubscription(
  tx: TenantTransaction,
  id: string,
  use: 'start' | 'change' = 'start',
): Promise<SubscriptionEntity | null> {
  const seen = await tx.manager.findOneBy(SubscriptionEntity, { id });
  if (seen === null) return null;
  const shared = use === 'start' && stacks(seen.concurrency_policy);
  await tx.query('select svc_lock_subscription($1, $2)', [id, shared]);
  const locked = await tx.manager.findOneByOrFail(SubscriptionEntity, { id });
  if (!shared || stacks(locked.concurrency_policy)) return locked;
  throw new SandgateError('unavailable', 'the trigger was changed meanwhile; try again', { retryAfterSeconds: 1 });
}

function stacks(policy: ConcurrencyPolicy): boolean {
  return policy === 'allow';
}
