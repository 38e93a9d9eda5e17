import type { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../../src/platform/telemetry/metric-table.js';
import type { Metrics } from '../platform/telemetry/metrics.js';

const TABLE = {
  failures: {
    name: 'docsvc_activity_failures_total',
    help: 'Attempts of activities that failed; Temporal repeats them.',
    labels: ['activity'],
  },
} as const satisfies MetricTable;

/** What this worker measures of its activities, whose names are ours. Their times are among the metrics of the Temporal SDK. */
export class ActivityMetrics {
  private readonly measured: MetricsOf<typeof TABLE>;

  constructor(metrics: Metrics) {
    this.measured = registerMetrics(metrics.registry, TABLE);
  }

  interceptor({ info }: Context): ActivityInboundCallsInterceptor {
    return {
      execute: async (input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) => {
        try {
          return await next(input);
        } catch (cause) {
          this.measured.failures.inc({ activity: info.activityType });
          throw cause;
        }
      },
    };
  }
}
