import type pg from 'pg';
import { Gauge, Registry } from 'prom-client';
import type { Database } from '../record/database.js';
import { readDeploymentFigures } from './deployment-figures.js';
import { DeploymentMetrics } from './deployment-metrics.js';
import { REFUSAL_CODES, type RefusalCode } from '../../domain/network/refusal.js';
import { processMetrics } from '../../platform/telemetry/process-metrics.js';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../platform/telemetry/metric-table.js';
import { RecordMetrics } from './record-metrics.js';

const REFRESH_EVENTS = ['attempt', 'success', 'invalid_grant', 'error', 'race'] as const;

const TABLE = {
  refreshes: {
    name: 'service_oauth_refresh_total',
    help: 'Refreshes of access tokens of OAuth connections; race: another process had refreshed already.',
    labels: ['event'],
  },
  grantRefusals: {
    name: 'service_network_grant_refusals_total',
    help: 'Runs that were not created because of the network that they asked for, by reason.',
    labels: ['reason'],
  },
  scrapeErrors: {
    name: 'service_metrics_scrape_errors_total',
    help: 'Figures that could not be read for a scrape; it was answered without them.',
  },
} as const satisfies MetricTable;

/** The metrics of this process: one registry, in which everybody registers what they measure. */
export class Metrics {
  readonly registry = Registry.merge([processMetrics()]);
  private readonly record: RecordMetrics;
  private readonly measured: MetricsOf<typeof TABLE>;

  constructor() {
    this.record = new RecordMetrics(this.registry);
    this.measured = registerMetrics(this.registry, TABLE);
    for (const event of REFRESH_EVENTS) this.measured.refreshes.inc({ event }, 0);
    for (const reason of REFUSAL_CODES) this.measured.grantRefusals.inc({ reason }, 0);
  }

  /** Measures what the process records, and its connections. */
  observe(database: Database): void {
    database.observer = this.record;
    this.gauge('service_db_pool_connections', 'Open connections to the database.', () => database.pool.totalCount);
    this.gauge('service_db_pool_idle', 'Open connections that nobody uses.', () => database.pool.idleCount);
    this.gauge('service_db_pool_waiting', 'Callers that wait for a connection.', () => database.pool.waitingCount);
    this.gauge('service_db_pool_max', 'Connections that may be open at once.', () => largest(database.pool));
  }

  /** A step of refreshing the access token of a connection. */
  oauthRefresh(event: (typeof REFRESH_EVENTS)[number]): void {
    this.measured.refreshes.inc({ event });
  }

  networkGrantRefused(reason: RefusalCode): void {
    this.measured.grantRefusals.inc({ reason });
  }

  /** The models that have series of their own; all others count as one. */
  nameModels(models: Iterable<string>): void {
    this.record.nameModels(models);
  }

  /** Measures the deployment as the record has it. */
  observeDeployment(database: Database): void {
    const read = () => readDeploymentFigures(database.pool);
    new DeploymentMetrics(this.registry, read, () => this.measured.scrapeErrors.inc());
  }

  /** A figure that is read at each scrape, from this process's memory alone. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      registers: [this.registry],
      name,
      help,
      collect() {
        this.set(read());
      },
    });
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}

function largest({ options }: pg.Pool): number {
  return options.max;
}
