import 'reflect-metadata';
import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { configWarnings, loadConfig, requireSetting, type SandgateConfig } from '../platform/config/index.js';
import { Database } from '../core/record/database.js';
import { Organizations } from '../core/organizations/organizations.js';
import { fixerHarness } from '../core/organizations/seed-agent.js';
import { checkSealing } from '../core/seal/boot-checks.js';
import { createLogger, type Logger } from '../platform/telemetry/logger.js';
import { Metrics } from '../core/metrics/metrics.js';
import { listenForScrapes } from '../platform/telemetry/metrics-listener.js';
import { startTracing } from '../platform/telemetry/start-tracing.js';
import type { Tracing } from '../platform/telemetry/tracing.js';
import { connectDriver, type ConnectedDriver } from '../core/driver/connect-driver.js';
import { DRIVEN_WORKFLOWS } from '../workflows/messages.js';
import { checkIdentity } from './boot-checks.js';
import { createApi } from './create-api.js';
import { InternalModule } from './internal/internal.module.js';
import { listenInternalOnly } from './listeners.js';

interface RunningApi {
  app: NestFastifyApplication;
  internal: Server | null;
  scrapes: Server | null;
  driver: ConnectedDriver;
  database: Database;
  tracing: Tracing;
}

/** Boots the API process: configuration, record, driver, then the listeners. */
async function start(config: SandgateConfig, log: Logger): Promise<RunningApi> {
  const tracing = await startTracing('sandgate-api', process.env, log);
  const database = await Database.connect({
    url: requireSetting(config.database.url, 'DATABASE_URL'),
    poolSize: config.database.poolSize,
    applicationName: 'sandgate-api',
  });
  const organizations = new Organizations(database, fixerHarness(config.harness), (message) => log.warn(message));
  const organization = await organizations.ensure('default');
  await checkSealing(database, config.seal, organization.id);
  for (const warning of await checkIdentity(database, config)) log.warn(warning);
  await database.wakeups.listen();
  const driver = connectDriver(config, database, DRIVEN_WORKFLOWS, log);
  const adminToken = requireSetting(config.auth.adminToken, 'SERVICE_ADMIN_TOKEN');
  const { calls, schedules } = driver;
  const foundation = { config, database, adminToken, organizationId: organization.id, calls, schedules, tracing };
  const app = await createApi(foundation, [InternalModule]);
  const { bind, internalBind } = config.http;
  const internal = internalBind === null ? null : await listenInternalOnly(app, internalBind);
  const { metricsBind } = config.telemetry;
  const scrapes = metricsBind === null ? null : await listenForScrapes(app.get(Metrics), metricsBind, log);
  await app.listen({ port: bind.port, host: bind.host });
  log.info({ bind, internalBind, metricsBind }, 'listening');
  return { app, internal, scrapes, driver, database, tracing };
}

/** Ends streams and connections, then the database and the driver. */
async function stop(running: RunningApi): Promise<void> {
  running.internal?.close();
  running.internal?.closeAllConnections();
  running.scrapes?.close();
  await running.app.close();
  await running.driver.close();
  await running.database.close();
  await running.tracing.close();
}

function stopOnSignal(running: RunningApi, log: Logger, graceMs: number): void {
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), graceMs).unref();
    stop(running).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  // Started by a supervisor with a channel to it: when the supervisor goes, this process stops.
  process.once('disconnect', () => onSignal('disconnect'));
}

const config = loadConfig(process.env);
const log = createLogger('api', config.log.level);
for (const warning of configWarnings(config, process.env)) log.warn(warning);
try {
  stopOnSignal(await start(config, log), log, config.timing.shutdownMs);
  // Node writes it at an orderly end alone: after a kill, too, the next start is to find what this one compiled.
  flushCompileCache();
} catch (error) {
  log.fatal({ err: error }, 'the API could not start');
  process.exitCode = 1;
  setImmediate(() => process.exit(1));
}
