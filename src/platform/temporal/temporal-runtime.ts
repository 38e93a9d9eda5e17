import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { ListenAddress } from '../config/readers.js';
import type { Logger } from '../telemetry/logger.js';

/**
 * Sends messages of Temporal's runtime from `WARN` on through our log, and with it through the redactor; where an address is
 * given it serves its own metrics there.
 */
export function installTemporalRuntime(log: Logger, metricsBind: ListenAddress | null): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { error, ...fields } = meta ?? {};
    log[level === 'ERROR' ? 'error' : 'warn'](
      { ...fields, ...(error === undefined ? {} : { err: error as Error }) },
      message,
    );
  });
  Runtime.install({ logger, shutdownSignals: [], ...metricsOn(metricsBind) });
}

function metricsOn(address: ListenAddress | null): Pick<RuntimeOptions, 'telemetryOptions'> {
  if (address === null) return {};
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { telemetryOptions: { metrics: { prometheus: { bindAddress: `${host}:${address.port}` } } } };
}
