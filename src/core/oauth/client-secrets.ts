import { placeOfSecret } from '../connections/connection-secrets.js';
import type { TenantTransaction } from '../record/database.js';
import type { RestingValue, Sealer } from '../../platform/seal/sealer.js';
import type { ClientSecret, TokenAuthMethod } from './client-authentication.js';
import { openRegistrationSecret } from './client-registrations.js';

/** The places where the secret of an identity may be stored: the shared registration, or the connection. */
export interface SecretHolder {
  connectionId: string;
  clientSecret: RestingValue | null;
  registrationId: string | null;
  authMethod: TokenAuthMethod;
}

/** The secret with which an identity proves itself. */
export async function clientSecretOf(
  tx: TenantTransaction,
  sealer: Sealer,
  holder: SecretHolder,
): Promise<ClientSecret> {
  const { connectionId, clientSecret, registrationId, authMethod } = holder;
  if (registrationId !== null) return openRegistrationSecret(tx, sealer, registrationId);
  if (clientSecret === null) return { clientSecret: null, authMethod: 'none' };
  const place = placeOfSecret({ organizationId: tx.organizationId, connectionId }, 'client_secret');
  const opened = await sealer.open(place, clientSecret.sealed, clientSecret.keyVersion);
  return { clientSecret: opened.toString('utf8'), authMethod };
}
