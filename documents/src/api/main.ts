import 'reflect-metadata';
import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, type Logger } from '../../../src/platform/telemetry/logger.js';
import { listenForScrapes } from '../../../src/platform/telemetry/metrics-listener.js';
import { connectDriver, type ConnectedDriver } from '../core/driver/connect-driver.js';
import { Record } from '../core/record/record.js';
import { configWarnings, loadConfig, requireSetting, type DocsvcConfig } from '../platform/config/index.js';
import { checkRoles } from '../platform/postgres/check-roles.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { WOKEN_WORKFLOWS } from '../workflows/messages.js';
import { createApi } from './create-api.js';

/** Longest wait for what is under way when the process is told to stop. */
const STOP_WITHIN_MS = 10_000;

interface RunningApi {
  app: NestFastifyApplication;
  record: Record;
  driver: ConnectedDriver;
  scrapes: Server | null;
}

/** Boots the API process: configuration, record, driver, then the listeners. */
async function start(config: DocsvcConfig, log: Logger): Promise<RunningApi> {
  const record = await Record.connect(
    {
      url: requireSetting(config.database.url, 'DOCSVC_DATABASE_URL'),
      poolSize: config.database.poolSize,
      applicationName: 'docsvc-api',
    },
    (error) => log.error({ err: error }, 'a step after a commit failed'),
  );
  for (const warning of await checkRoles(record.pool, config.database)) log.warn(warning);
  const driver = connectDriver(config, record, WOKEN_WORKFLOWS, log);
  const metrics = new Metrics();
  metrics.observePool(record.pool);
  const app = await createApi({ config, record, metrics });
  const { metricsBind } = config.telemetry;
  const scrapes = metricsBind === null ? null : await listenForScrapes(metrics, metricsBind, log);
  const { bind } = config.http;
  await app.listen({ port: bind.port, host: bind.host });
  log.info({ bind }, 'listening');
  return { app, record, driver, scrapes };
}

/** Ends requests, then what they leave for the driver, then the record. */
async function stop({ app, record, driver, scrapes }: RunningApi): Promise<void> {
  scrapes?.close();
  await app.close();
  await driver.close();
  await record.close();
}

function stopOnSignal(running: RunningApi, log: Logger): void {
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
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
const log = createLogger('docsvc-api', config.log.level);
for (const warning of configWarnings(config, process.env)) log.warn(warning);
try {
  stopOnSignal(await start(config, log), log);
  // Node writes it at an orderly end alone: after a kill, too, the next start is to find what this one compiled.
  flushCompileCache();
} catch (error) {
  log.fatal({ err: error }, 'the API could not start');
  process.exitCode = 1;
  setImmediate(() => process.exit(1));
}
