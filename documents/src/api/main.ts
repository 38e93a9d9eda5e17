import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, type Logger } from '../../../src/platform/telemetry/logger.js';
import { checkRuntimeRoles } from '../../../src/platform/postgres/runtime-role.js';
import { Record } from '../core/record/record.js';
import { configWarnings, loadConfig, requireSetting, type DocsvcConfig } from '../platform/config/index.js';
import { DOCSVC } from '../platform/postgres/docsvc-product.js';
import { connectDriver, type ConnectedDriver } from '../core/driver/connect-driver.js';
import { WOKEN_WORKFLOWS } from '../workflows/messages.js';
import { createApi } from './create-api.js';

/** Longest wait for what is under way when the process is told to stop. */
const STOP_WITHIN_MS = 10_000;

interface RunningApi {
  app: NestFastifyApplication;
  record: Record;
  driver: ConnectedDriver;
}

/** Boots the API process: configuration, record, then the listener. */
async function start(config: DocsvcConfig, log: Logger): Promise<RunningApi> {
  const record = await Record.connect(
    {
      url: requireSetting(config.database.url, 'DOCSVC_DATABASE_URL'),
      poolSize: config.database.poolSize,
      applicationName: 'docsvc-api',
    },
    (error) => log.error({ err: error }, 'a step after a commit failed'),
  );
  const { allowRlsBypass } = config.database;
  const isolation = { requireSso: true, allowRlsBypass };
  for (const warning of await checkRuntimeRoles(record.pool, isolation, DOCSVC.roles, DOCSVC)) log.warn(warning);
  const driver = connectDriver(config, record, WOKEN_WORKFLOWS, log);
  const app = await createApi({ config, record });
  const { bind } = config.http;
  await app.listen({ port: bind.port, host: bind.host });
  log.info({ bind }, 'listening');
  return { app, record, driver };
}

function stopOnSignal({ app, record, driver }: RunningApi, log: Logger): void {
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    const stopped = app
      .close()
      .then(() => driver.close())
      .then(() => record.close());
    stopped.then(
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
} catch (error) {
  log.fatal({ err: error }, 'the API could not start');
  process.exitCode = 1;
  setImmediate(() => process.exit(1));
}
