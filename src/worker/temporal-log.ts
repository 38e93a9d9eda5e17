import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from '../platform/telemetry/logger.js';

/** Sends what Temporal's runtime has to say from `WARN` on through our log, and with it through the redactor. */
export function installTemporalLog(log: Logger): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { error, ...fields } = meta ?? {};
    log[level === 'ERROR' ? 'error' : 'warn'](
      { ...fields, ...(error === undefined ? {} : { err: error as Error }) },
      message,
    );
  });
  Runtime.install({ logger, shutdownSignals: [] });
}
