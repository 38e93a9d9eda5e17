import type { SealedPlace, Sealer } from '../../platform/seal/sealer.js';
import type { TenantTransaction } from '../record/database.js';

/** The subscription whose callback a secret signs. */
export interface CallbackRef {
  organizationId: string;
  subscriptionId: string;
}

/** The sealed secret of a callback, while that is of the generation; null when it has changed or is gone. */
export async function readCallbackSecret(
  tx: TenantTransaction,
  subscriptionId: string,
  generation: number,
): Promise<{ sealed: Buffer; key_version: number } | null> {
  const [row] = await tx.query<{ sealed: Buffer; key_version: number }>(
    'select * from svc_read_callback_secret($1, $2)',
    [subscriptionId, generation],
  );
  return row ?? null;
}

/** @throws SandgateError as {@link Sealer.open} */
export async function openCallbackSecret(
  sealer: Pick<Sealer, 'open'>,
  ref: CallbackRef,
  { sealed, key_version: keyVersion }: { sealed: Buffer; key_version: number },
): Promise<string> {
  return (await sealer.open(placeOfCallbackSecret(ref), sealed, keyVersion)).toString('utf8');
}

/** Where the sealed secret of a callback is stored. */
export function placeOfCallbackSecret({ organizationId, subscriptionId }: CallbackRef): SealedPlace {
  return { organizationId, column: 'trigger_subscriptions.callback_secret', row: subscriptionId };
}
