import type { TenantTransaction } from '../record/database.js';
import { SubscriptionEntity } from './subscription.entity.js';

/**
 * Holds a subscription until the end of the transaction, for everything that starts one of its runs or changes what those start from.
 * Starters of one that lets runs stack up do not wait for each other, since nothing is counted.
 *
 * @param use `change` always waits for all others
 * @returns the subscription as it is behind the lock, or null when the organization has none of that id
 */
export async function lockSubscription(
  tx: TenantTransaction,
  id: string,
  use: 'start' | 'change' = 'start',
): Promise<SubscriptionEntity | null> {
  await tx.query('select svc_lock_subscription($1, $2)', [id, use === 'change']);
  return tx.manager.findOneBy(SubscriptionEntity, { id });
}
