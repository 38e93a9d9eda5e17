import type { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import type { RunRef } from '../activities/run-activities.js';
import { registerMetrics, type MetricsOf, type MetricTable } from '../platform/telemetry/metric-table.js';
import type { Metrics } from '../core/metrics/metrics.js';
import { ActiveRuns } from './active-runs.js';

const TABLE = {
  failures: {
    name: 'service_activity_failures_total',
    help: 'Attempts of activities that failed; Temporal repeats those that may be repeated.',
    labels: ['activity'],
  },
} as const satisfies MetricTable;

/** What this worker measures of its activities, whose names are ours. Their times are among the metrics of the Temporal SDK. */
export class ActivityMetrics {
  readonly runs = new ActiveRuns();
  private readonly measured: MetricsOf<typeof TABLE>;

  constructor(metrics: Metrics, capacity: number) {
    this.measured = registerMetrics(metrics.registry, TABLE);
    metrics.gauge('service_active_runs', 'Runs that this host holds, from launch to release.', () => this.runs.size);
    metrics.gauge('service_sandbox_capacity', 'Runs that this host holds at once.', () => capacity);
  }

  interceptor({ info }: Context): ActivityInboundCallsInterceptor {
    return {
      execute: async (input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) => {
        const run = input.args[0] as RunRef;
        this.runs.begins(info.activityType, run);
        try {
          const result = await next(input);
          this.runs.ends(info.activityType, run, result);
          return result;
        } catch (cause) {
          this.measured.failures.inc({ activity: info.activityType });
          throw cause;
        }
      },
    };
  }
}
