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
  sealed: { bytes: Buffer; keyVersion: number },
): Promise<Activated | null> {
  const [row] = await tx.query<{ id: string; authorization_generation: number }>(
    `update integration_connections c
     set status = 'active',
         authorization_generation = c.authorization_generation + case when c.status = 'pending' then 0 else 1 end,
         credential_sealed = $4, credential_key_version = $5, granted_scopes = $6,
         oauth = (c.oauth - 'error' - 'registration_id') || $7::jsonb || jsonb_build_object('activated_at', clock_timestamp()),
         updated_at = clock_timestamp()
     from connector_oauth_flows f
     where c.id = $1 and f.id = $2 and f.connection_id = c.id and c.auth_kind = 'oauth' and c.status <> 'revoked'
       and c.authorization_generation = $3
       and coalesce((c.oauth ->> 'activated_at')::timestamptz, '-infinity') < f.created_at
     returning c.id, c.authorization_generation`,
    [
      flow.connection_id,
      flow.id,
      flow.expected_generation,
      sealed.bytes,
      sealed.keyVersion,
      granted,
      JSON.stringify(stateOf(flow)),
    ],
  );
  return row === undefined ? null : { id: row.id, generation: row.authorization_generation };
}
