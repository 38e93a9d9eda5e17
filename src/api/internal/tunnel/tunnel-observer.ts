import { Injectable } from '@nestjs/common';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../../platform/telemetry/metric-table.js';
import { Metrics } from '../../../core/metrics/metrics.js';

const TABLE = {
  opens: {
    name: 'service_tunnel_opens_total',
    help: 'Connections to hosts outside that runs asked for; unreachable: allowed, and the host did not answer.',
    labels: ['verdict'],
  },
  bytes: {
    name: 'service_tunnel_bytes_total',
    help: 'Bytes that runs exchanged with hosts outside.',
    labels: ['direction'],
  },
} as const satisfies MetricTable;

const VERDICTS = ['allowed', 'denied', 'limited', 'unreachable'] as const;

/** Measures the tunnels of this process. No label names a host. */
@Injectable()
export class TunnelObserver {
  private readonly measured: MetricsOf<typeof TABLE>;
  private open = 0;

  constructor(metrics: Metrics) {
    this.measured = registerMetrics(metrics.registry, TABLE);
    for (const verdict of VERDICTS) this.measured.opens.inc({ verdict }, 0);
    metrics.gauge('service_tunnels_active', 'Open connections of runs to hosts outside.', () => this.open);
  }

  asked(verdict: (typeof VERDICTS)[number]): void {
    this.measured.opens.inc({ verdict });
  }

  opened(): void {
    this.open += 1;
  }

  closed(): void {
    this.open -= 1;
  }

  carried(sent: number, received: number): void {
    this.measured.bytes.inc({ direction: 'sent' }, sent);
    this.measured.bytes.inc({ direction: 'received' }, received);
  }
}
