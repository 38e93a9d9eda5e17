import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { ensureHostId, requireSetting, type SandgateConfig } from '../platform/config/index.js';
import { Database } from '../core/record/database.js';
import { Codehost } from '../core/codehost/codehost.js';
import { Egress } from '../platform/egress/egress.js';
import { SandboxUids } from '../core/hosts/sandbox-uids.js';
import { createSealer } from '../core/seal/create-sealer.js';
import { chooseProvider } from '../platform/sandbox/choice/choose-provider.js';
import type { Sandboxes } from '../platform/sandbox/provider.js';
import { createRunCreation } from '../core/creation/create-run-creation.js';
import { SubscriptionRuns } from '../core/triggers/subscription-runs.js';
import type { Tracing } from '../platform/telemetry/tracing.js';
import type { Logger } from '../platform/telemetry/logger.js';
import { type Metrics } from '../core/metrics/metrics.js';
import { createDrivers, type Drivers } from '../core/driver/connect-driver.js';
import { checkRuntimeRoles } from '../platform/postgres/runtime-role.js';
import { ensureSearchAttributes } from '../platform/temporal/search-attributes.js';
import { TemporalOutboxDispatcher } from '../core/driver/outbox-dispatcher.js';
import { connectTemporalClient } from '../platform/temporal/connect-client.js';
import { DRIVEN_WORKFLOWS } from '../workflows/messages.js';

export interface WorkerParts extends Sandboxes {
  database: Database;
  client: Client;
  drivers: Drivers;
  dispatcher: TemporalOutboxDispatcher;
  connection: NativeConnection;
  host: { id: string; name: string; capacity: number; provider: string };
  /** Everything that this process sends outside. */
  egress: Egress;
  codehost: Codehost;
  /** Starts the runs of subscriptions. */
  subscriptionRuns: SubscriptionRuns;
  searchAttributesMissing: boolean;
  metrics: Metrics;
  log: Logger;
}

/** Connects to record, Temporal and the outside, and takes the sandbox provider of this host. */
export async function connectParts(
  config: SandgateConfig,
  log: Logger,
  { metrics, tracing }: { metrics: Metrics; tracing: Tracing },
): Promise<WorkerParts> {
  const database = await Database.connect({
    url: requireSetting(config.database.url, 'DATABASE_URL'),
    poolSize: config.database.poolSize,
    applicationName: 'sandgate-worker',
  });
  const mode = { requireSso: config.auth.requireSso, allowRlsBypass: config.database.allowRlsBypass };
  for (const warning of await checkRuntimeRoles(database.pool, mode)) log.warn(warning);
  const hostId = ensureHostId(config);
  const uids = new SandboxUids(database.pool, hostId, config.sandbox.uidBase);
  const sandboxes = await chooseProvider(config, uids, hostId);
  const host = { id: hostId, name: hostname(), capacity: config.sandbox.capacity, provider: sandboxes.provider.name };
  const client = connectTemporalClient(config.temporal);
  const drivers = createDrivers(config, database, client, DRIVEN_WORKFLOWS);
  const dispatcher = new TemporalOutboxDispatcher(drivers.outbox, database.pool, (rows, cause) =>
    log.warn({ err: cause, wakeUps: rows.length }, 'wake-ups are left to the relay'),
  );
  database.outbox = dispatcher;
  const connection = await NativeConnection.connect(config.temporal.connection);
  const missing = await ensureSearchAttributes(client, config.temporal.namespace);
  if (missing.length > 0) log.warn({ missing }, 'search attributes are missing; runs go on without them');
  const searchAttributesMissing = missing.length > 0;
  const egress = new Egress(config.egress);
  const creation = createRunCreation(config, { egress: egress.guarded, metrics, tracing }, 'elsewhere');
  const sealer = createSealer(database, config.seal);
  const codehost = new Codehost({ config: config.codehost, database, sealer, egress });
  return {
    ...sandboxes,
    database,
    client,
    drivers,
    dispatcher,
    connection,
    host,
    egress,
    codehost,
    subscriptionRuns: new SubscriptionRuns(creation.runs),
    searchAttributesMissing,
    metrics,
    log,
  };
}
