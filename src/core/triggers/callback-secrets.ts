import { randomBytes } from 'node:crypto';
import { standardSecret } from '../../domain/deliveries/webhook-headers.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { placeOfCallbackSecret, type CallbackRef } from '../deliveries/callback-secret.js';
import type { SubscriptionEntity } from './subscription.entity.js';

/** A secret that was just made: what is shown once, and what is stored. */
export interface MintedCallbackSecret {
  secret: string;
  /** The same key in the form that libraries of Standard Webhooks take. */
  standard: string;
  columns: Pick<SubscriptionEntity, 'callback_secret_sealed' | 'callback_secret_key_version'>;
}

/** @throws SandgateError `unavailable` without a sealing key */
export async function mintCallbackSecret(
  sealer: Pick<Sealer, 'seal'>,
  ref: CallbackRef,
): Promise<MintedCallbackSecret> {
  const secret = `svc_whsec_${randomBytes(32).toString('hex')}`;
  const sealed = await sealer.seal(placeOfCallbackSecret(ref), secret);
  return {
    secret,
    standard: standardSecret(secret),
    columns: { callback_secret_sealed: sealed.bytes, callback_secret_key_version: sealed.keyVersion },
  };
}
