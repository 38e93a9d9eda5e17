import type pg from 'pg';
import { Gauge, Registry } from 'prom-client';
import { processMetrics } from '../../../../src/platform/telemetry/process-metrics.js';

/** The metrics of this process: one registry, in which everybody registers what they measure, under names that begin `docsvc_`. */
export class Metrics {
  readonly registry = Registry.merge([processMetrics()]);

  /** Measures the connections of this process to the database. */
  observePool(pool: pg.Pool): void {
    this.gauge('docsvc_db_pool_connections', 'Open connections to the database.', () => pool.totalCount);
    this.gauge('docsvc_db_pool_idle', 'Open connections that nobody uses.', () => pool.idleCount);
    this.gauge('docsvc_db_pool_waiting', 'Callers that wait for a connection.', () => pool.waitingCount);
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
