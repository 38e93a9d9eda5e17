import { flushCompileCache } from 'node:module';
import { loadConfig } from '../platform/config/index.js';
import { closeInheritedDescriptors } from '../platform/host/inherited-descriptors.js';
import { createLogger } from '../platform/telemetry/logger.js';
import { startTracing } from '../platform/telemetry/start-tracing.js';
import { startWorker } from './start-worker.js';
import { installTemporalRuntime } from '../platform/temporal/temporal-runtime.js';

closeInheritedDescriptors();
const config = loadConfig(process.env);
const log = createLogger('worker', config.log.level);
installTemporalRuntime(log, config.telemetry.temporalMetricsBind);
const tracing = await startTracing('sandgate-worker', process.env, log);
const worker = await startWorker(config, log, tracing);
log.info('ready');
// Node writes it at an orderly end alone: after a kill, too, the next start is to find what this one compiled.
flushCompileCache();

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => worker.stop());
try {
  await worker.ended;
} catch (cause) {
  log.fatal({ err: cause }, 'the worker ended');
  process.exitCode = 1;
}
await tracing.close();
// Supervision of live sandboxes goes on in the next worker; it must not keep this process alive.
process.exit();
