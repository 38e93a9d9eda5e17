import type { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { Egress } from '../../../src/platform/egress/egress.js';
import type { Logger } from '../../../src/platform/telemetry/logger.js';
import type { ExtractionDependencies } from '../activities/extract-item.js';
import { ExtractionMetrics } from '../activities/extraction-metrics.js';
import type { IngestDependencies } from '../activities/ingest-dependencies.js';
import { connectDriver } from '../core/driver/connect-driver.js';
import type { TemporalOutboxDispatcher } from '../core/driver/outbox-dispatcher.js';
import { PasswordDesk } from '../core/ingest/password-desk.js';
import { Record } from '../core/record/record.js';
import type { DeliveryPlace } from '../core/webhooks/attempt-delivery.js';
import { DeliveryTurns } from '../core/webhooks/delivery-turns.js';
import { WebhookSecrets } from '../core/webhooks/webhook-secrets.js';
import { openBlobStore } from '../platform/blobs/open-blob-store.js';
import { publicUrl, requireSetting, type DocsvcConfig } from '../platform/config/index.js';
import { DocumentReader } from '../platform/parsing/document-reader.js';
import { checkRoles } from '../platform/postgres/check-roles.js';
import { Sealer } from '../platform/seal/sealer.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import { ensureSearchAttributes } from '../platform/temporal/search-attributes.js';
import { WOKEN_WORKFLOWS } from '../workflows/messages.js';
import { buildParserJail } from '../platform/parsing/build-parser-jail.js';

/** What the queues of a worker work with. */
export interface WorkerParts {
  ingest: IngestDependencies;
  extraction: ExtractionDependencies;
  deliveries: DeliveryPlace;
  client: Client;
  dispatcher: TemporalOutboxDispatcher;
  connection: NativeConnection;
  log: Logger;
  close(): Promise<void>;
}

/**
 * Builds the jail first, because without one nothing else matters; then connects to record, store and driver.
 *
 * @throws DocsvcError `unavailable` where no jail can be built
 */
export async function connectParts(config: DocsvcConfig, log: Logger, metrics: Metrics): Promise<WorkerParts> {
  const reader = new DocumentReader(await buildParserJail(config.parsing));
  const url = requireSetting(config.database.url, 'DOCSVC_DATABASE_URL');
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'a step after a commit failed');
  const { poolSize } = config.database;
  const record = await Record.connect({ url, poolSize, applicationName: 'docsvc-worker' }, onTrouble);
  metrics.observePool(record.pool);
  for (const warning of await checkRoles(record.pool, config.database)) log.warn(warning);
  const store = await openBlobStore(config.store);
  const sealer = new Sealer(config.seal.key);
  const passwords = new PasswordDesk({
    url,
    sealer,
    onTrouble: (error) => log.warn({ err: error }, 'passwords of documents may not arrive'),
  });
  await passwords.open();
  const driver = connectDriver(config, record, WOKEN_WORKFLOWS, log);
  const connection = await NativeConnection.connect(config.temporal.connection);
  const missing = await ensureSearchAttributes(driver.client, config.temporal.namespace);
  if (missing.length > 0) log.warn({ missing }, 'search attributes are missing; ingests go on without them');
  const ingest = {
    ...{ record, store, reader, passwords, isFindable: missing.length === 0 },
    maxParseBytes: config.parsing.maxParseBytes,
    pagesPerMonth: config.quotas.pagesPerMonth,
    timing: { heartbeatMs: config.timing.heartbeatMs, workflowTaskMs: config.timing.workflowTaskMs },
  };
  const extraction = {
    ...{ record, store, log, metrics: new ExtractionMetrics(metrics) },
    timing: { heartbeatMs: config.timing.heartbeatMs },
  };
  const egress = new Egress(config.egress);
  const deliveries = {
    record,
    secrets: new WebhookSecrets(sealer),
    client: egress.guarded,
    publicUrl: publicUrl(config.http),
    turns: new DeliveryTurns(),
  };
  const close = async (): Promise<void> => {
    await reader.close();
    await passwords.close();
    await egress.close();
    await driver.close();
    await record.close();
  };
  const { client, dispatcher } = driver;
  return { ingest, extraction, deliveries, client, dispatcher, connection, log, close };
}
