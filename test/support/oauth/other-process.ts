import { Egress } from '../../../src/platform/egress/egress.js';
import { createAccessTokens, type AccessTokens } from '../../../src/core/oauth/access-tokens.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import type { TestApi } from '../api/api.js';

/** The access tokens of another process of this deployment. */
export async function otherProcess(api: TestApi): Promise<{ tokens: AccessTokens; close(): Promise<void> }> {
  const database = await api.database.connect();
  const egress = new Egress(api.config.egress);
  const sealer = createSealer(database, api.config.seal);
  return { tokens: createAccessTokens({ database, sealer, client: egress.guarded }), close: () => egress.close() };
}
