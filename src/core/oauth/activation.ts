import type { Sealed } from '../../platform/seal/sealer.js';
import { placeOfSecret } from '../connections/connection-secrets.js';
import type { TenantTransaction } from '../record/database.js';
import { stateOf, type ConnectParts } from './connect-flows.js';
import type { ClaimedFlow } from './flow-records.js';
import { lockConnection } from './oauth-connections.js';
import { keepSharedToken } from './shared-token.js';
import type { TokenAnswer } from './token-requests.js';

export interface Activated {
  id: string;
  generation: number;
}

/**
 * Makes the connection active with what the exchange brought: one compare-and-swap on the generation and on the last activation,
 * under the lock that refreshes hold (docs/design/oauth.md). The generation grows unless this is the first authorization, so that runs
 * that were bound to the one before see that their binding is stale.
 *
 * @returns null when a newer authorization, or a revoke, was there first; nothing was changed then
 */
export function activate(
  { database, sealer }: Pick<ConnectParts, 'database' | 'sealer'>,
  organizationId: string,
  flow: ClaimedFlow,
  answer: TokenAnswer & { refreshToken: string },
): Promise<Activated | null> {
  return database.withTenant(organizationId, async (tx) => {
    const place = placeOfSecret({ organizationId, connectionId: flow.connection_id }, 'credential');
    const sealed = await sealer.seal(place, answer.refreshToken);
    await lockConnection(tx, flow.connection_id);
    const activated = await swap(tx, flow, answer.scopes ?? flow.scopes, sealed);
    if (activated !== null) await keepSharedToken(tx, sealer, activated, answer);
    return activated;
  });
}

async function swap(
  tx: TenantTransaction,
  flow: ClaimedFlow,
  granted: readonly string[],
  sealed: Sealed,
): Promise<Activated | null> {
  const [answer] = await tx.query<{ generation: number | null }>(
    'select svc_activate_connection($1, $2, $3, $4, $5, $6, $7::jsonb) as generation',
    [
      flow.id,
      flow.connection_id,
      flow.expected_generation,
      sealed.bytes,
      sealed.keyVersion,
      granted,
      JSON.stringify(stateOf(flow)),
    ],
  );
  const generation = answer?.generation ?? null;
  return generation === null ? null : { id: flow.connection_id, generation };
}
