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
    'select * from svc_read_access_token($1, $2)',
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
  await tx.query('select svc_keep_access_token($1, $2, $3, $4, $5, $6)', [
    tx.organizationId,
    connection.id,
    connection.generation,
    sealed.bytes,
    sealed.keyVersion,
    answer.expiresInSecs,
  ]);
}
