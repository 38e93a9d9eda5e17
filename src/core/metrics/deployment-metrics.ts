import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { isTerminal, RUN_STATUSES } from '../../domain/run/status.js';
import type { DeploymentFigures } from './deployment-figures.js';

const LIVE_STATUSES = RUN_STATUSES.filter((status) => !isTerminal(status));
/** The database is asked at most once in this time, however often this process is scraped. */
const FRESH_MS = 10_000;
/** A scrape does not wait longer for the record than this. */
const PATIENCE_MS = 1000;

/** The gauges with a single number. */
const SINGLE = [
  ['approvalsPending', 'service_approvals_pending', 'Approvals that wait for a human.'],
  ['reservationsLive', 'service_llm_reservations_live', 'Model requests whose budget is held.'],
  ['outboxWaiting', 'service_outbox_waiting', 'Wake-ups of workflows that were committed and not delivered.'],
  ['hostsOnline', 'service_hosts_online', 'Sandbox hosts that were seen within the last minute.'],
  ['hostCapacity', 'service_host_capacity', 'Runs that the hosts online hold at once.'],
] as const satisfies readonly (readonly [keyof DeploymentFigures, string, string])[];

/**
 * Gauges of the whole deployment, read from the record. Every process that has them shows the same numbers: take `max`, not
 * `sum`. While the database does not answer they are missing, and the scrape is answered all the same.
 */
export class DeploymentMetrics {
  private readonly runs: Gauge<'status'>;
  private readonly single: { figure: (typeof SINGLE)[number][0]; gauge: Gauge }[];
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    registry: Registry,
    private readonly read: () => Promise<DeploymentFigures>,
    private readonly failed: (error: unknown) => void,
  ) {
    const registers = [registry];
    const refresh = (): Promise<void> => this.refresh();
    this.runs = new Gauge({
      registers,
      name: 'service_runs',
      help: 'Runs of the whole deployment that are not over, by status.',
      labelNames: ['status'],
      collect: refresh,
    });
    this.single = SINGLE.map(([figure, name, help]) => ({
      figure,
      gauge: new Gauge({ registers, name, help, collect: refresh }),
    }));
  }

  private async refresh(): Promise<void> {
    if (performance.now() - this.readAt < FRESH_MS) return;
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    await Promise.race([this.reading, delay(PATIENCE_MS, undefined, { ref: false })]);
  }

  private async readOnce(): Promise<void> {
    try {
      this.show(await this.read());
    } catch (error) {
      this.runs.reset();
      for (const { gauge } of this.single) gauge.remove();
      this.failed(error);
    }
    this.readAt = performance.now();
  }

  private show(figures: DeploymentFigures): void {
    for (const status of LIVE_STATUSES) this.runs.set({ status }, figures.runs.get(status) ?? 0);
    for (const { figure, gauge } of this.single) gauge.set(figures[figure]);
  }
}
