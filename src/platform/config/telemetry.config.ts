import { listenAddress } from './readers.js';
import type { ListenAddress } from './readers.js';
import { setting } from './setting.js';

/**
 * Where metrics are scraped (docs/observability.md). Traces are switched on by the standard variables of OpenTelemetry
 * (`OTEL_EXPORTER_OTLP_ENDPOINT` and its kin), which its own library reads.
 */
export class TelemetryConfig {
  @setting({
    variable: 'SERVICE_METRICS_BIND',
    read: listenAddress,
    default: null,
    about:
      'A listener of its own for `GET /metrics` of the API process, without authentication; unset, there is none. `GET /v1/admin/metrics` answers the same with the admin token.',
  })
  readonly metricsBind!: ListenAddress | null;

  @setting({
    variable: 'SERVICE_WORKER_METRICS_BIND',
    read: listenAddress,
    default: null,
    about: 'The same for the worker process.',
  })
  readonly workerMetricsBind!: ListenAddress | null;

  @setting({
    variable: 'SERVICE_TEMPORAL_METRICS_BIND',
    read: listenAddress,
    default: null,
    about: "`GET /metrics` of the worker's Temporal SDK (task latencies, slots, pollers); unset, there is none.",
  })
  readonly temporalMetricsBind!: ListenAddress | null;
}
