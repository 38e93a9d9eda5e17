import { listenAddress, oneOf } from '../../../../src/platform/config/readers.js';
import type { ListenAddress } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** Where metrics are scraped. Traces are switched on by the standard variables of OpenTelemetry (`OTEL_*`). */
export class TelemetryConfig {
  @setting({
    variable: 'DOCSVC_METRICS_BIND',
    read: listenAddress,
    default: null,
    about: 'A listener of its own for `GET /metrics` of the API process, without authentication; unset, there is none.',
  })
  readonly metricsBind!: ListenAddress | null;

  @setting({
    variable: 'DOCSVC_WORKER_METRICS_BIND',
    read: listenAddress,
    default: null,
    about: 'The same for the worker process.',
  })
  readonly workerMetricsBind!: ListenAddress | null;

  @setting({
    variable: 'DOCSVC_TEMPORAL_METRICS_BIND',
    read: listenAddress,
    default: null,
    about: "`GET /metrics` of the worker's Temporal SDK (task latencies, slots, pollers); unset, there is none.",
  })
  readonly temporalMetricsBind!: ListenAddress | null;
}

/** Structured logs on standard error. */
export class LogConfig {
  @setting({
    variable: 'DOCSVC_LOG_LEVEL',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    about: 'Least severe log line that is written. What a document says is never logged.',
  })
  readonly level!: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}
