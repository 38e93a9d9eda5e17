import type { SealedPlace } from '../../platform/seal/sealer.js';

/** Where the sealed client secret of a provider is stored. */
export function placeOfClientSecret(organizationId: string, configId: string): SealedPlace {
  return { organizationId, column: 'org_idp_configs.client_secret', row: configId };
}
