import { registerMetrics, type MetricsOf, type MetricTable } from '../../../src/platform/telemetry/metric-table.js';
import type { Metrics } from '../platform/telemetry/metrics.js';

const TABLE = {
  runs: { name: 'docsvc_extractions_total', help: 'Runs of extraction that ended.', labels: ['status'] },
  items: { name: 'docsvc_extraction_items_total', help: 'Documents that runs ended with.', labels: ['status'] },
  seconds: {
    name: 'docsvc_extraction_item_seconds',
    help: 'From taking a document up to keeping what it says.',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300],
  },
} as const satisfies MetricTable;

/** What a worker measures of extraction. */
export class ExtractionMetrics {
  private readonly measured: MetricsOf<typeof TABLE>;

  constructor({ registry }: Pick<Metrics, 'registry'>) {
    this.measured = registerMetrics(registry, TABLE);
  }

  countItem(status: string, seconds: number): void {
    this.measured.items.inc({ status });
    this.measured.seconds.observe(seconds);
  }

  countRun(status: string): void {
    this.measured.runs.inc({ status });
  }
}
