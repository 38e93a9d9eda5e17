import type { TenantTransaction } from '../record/database.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { TokenAnswer } from './token-requests.js';

export interface MintedToken {
  token: string;
  /** By this process's clock. */
  expiresAtMs: number;
}

const COLUMN = 'connector_access_tokens.token';

/** The newest access token that any process got for the connection and generation; null when there is none, or it expired. */
export async function readSharedToken(
  tx: TenantTransaction,
  sealer: Sealer,
  { connectionId, generation }: { connectionId: string; generation: number },
): Promise<MintedToken | null> {
  const [row] = await tx.query<{ token_sealed: Buffer; token_key_version: number; left_ms: number }>(
    `select token_sealed, token_key_version,
            (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as left_ms
     from connector_access_tokens where connection_id = $1 and authorization_generation = $2`,
    [connectionId, generation],
  );
  if (row === undefined || row.left_ms <= 0) return null;
  const place = { organizationId: tx.organizationId, column: COLUMN, row: connectionId };
  const token = await sealer.open(place, row.token_sealed, row.token_key_version);
  return { token: token.toString('utf8'), expiresAtMs: Date.now() + row.left_ms };
}

/** Stores the token for the other processes. */
export async function keepSharedToken(
  tx: TenantTransaction,
  sealer: Sealer,
  connection: { id: string; generation: number },
  answer: Pick<TokenAnswer, 'accessToken' | 'expiresInSecs'>,
): Promise<void> {
  const place = { organizationId: tx.organizationId, column: COLUMN, row: connection.id };
  const sealed = await sealer.seal(place, answer.accessToken);
  await tx.query(
    `insert into connector_access_tokens
       (connection_id, tenant_id, authorization_generation, token_sealed, token_key_version, expires_at)
     values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
     on conflict (connection_id) do update set authorization_generation = excluded.authorization_generation,
       token_sealed = excluded.token_sealed, token_key_version = excluded.token_key_version, expires_at = excluded.expires_at`,
    [connection.id, tx.organizationId, connection.generation, sealed.bytes, sealed.keyVersion, answer.expiresInSecs],
  );
}
