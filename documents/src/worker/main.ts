import { flushCompileCache } from 'node:module';
import { closeInheritedDescriptors } from '../../../src/platform/host/inherited-descriptors.js';
import { createLogger } from '../../../src/platform/telemetry/logger.js';
import { installTemporalRuntime } from '../../../src/platform/temporal/temporal-runtime.js';
import { configWarnings, loadConfig } from '../platform/config/index.js';
import { startWorker, type RunningWorker } from './start-worker.js';

closeInheritedDescriptors();
const config = loadConfig(process.env);
const log = createLogger('docsvc-worker', config.log.level);
for (const warning of configWarnings(config, process.env)) log.warn(warning);
installTemporalRuntime(log, config.telemetry.temporalMetricsBind);

try {
  const worker: RunningWorker = await startWorker(config, log);
  log.info('ready');
  // Node writes it at an orderly end alone: after a kill, too, the next start is to find what this one compiled.
  flushCompileCache();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => worker.stop());
  await worker.ended;
} catch (cause) {
  log.fatal({ err: cause }, 'the worker ended');
  process.exitCode = 1;
}
// A program that still reads a document ends with this process.
process.exit();
