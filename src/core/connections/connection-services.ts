import type { Database } from '../record/database.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import { takeSnapshot } from '../../platform/mcp/take-snapshot.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { AccessTokenSource } from './access-token-source.js';
import { ConnectionCaches, type ConnectionCache } from './connection-caches.js';
import { ConnectionCredentials } from './connection-credentials.js';
import { ConnectionRecords } from './connection-records.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { ToolSnapshots } from './tool-snapshots.js';

/** Everything that a process does with connections; one instance per process. */
export interface ConnectionServices {
  records: ConnectionRecords;
  secrets: ConnectionSecrets;
  credentials: ConnectionCredentials;
  snapshots: ToolSnapshots;
  caches: ConnectionCaches;
}

export function createConnectionServices(
  process: { database: Database; sealer: Sealer; egress: GuardedClient; tokens: AccessTokenSource },
  /** Further caches of this process. */
  further: readonly ConnectionCache[] = [],
): ConnectionServices {
  const { database, sealer, egress, tokens } = process;
  const records = new ConnectionRecords(database);
  const secrets = new ConnectionSecrets(database, sealer);
  const credentials = new ConnectionCredentials(secrets, tokens);
  const snapshots = new ToolSnapshots(database, credentials, (request) => takeSnapshot({ client: egress, ...request }));
  return { records, secrets, credentials, snapshots, caches: new ConnectionCaches([tokens, ...further]) };
}
