import type { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import type { RunRef } from '../activities/run-activities.js';
import type { Database } from '../core/record/database.js';
import { readTracedRun, type TracedRunRow } from '../core/runs/traced-run.js';
import type { Logger } from '../platform/telemetry/logger.js';
import type { Tracing } from '../platform/telemetry/tracing.js';

/** Runs whose trace is remembered. */
const MAX_RUNS = 1000;

/** Writes a span for each activity of a run, and the run's own span when it has ended. */
export class RunSpans {
  private readonly traces = new LRUCache<string, Promise<string | null>>({ max: MAX_RUNS });

  constructor(
    private readonly database: Database,
    private readonly tracing: Tracing,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  interceptor({ info }: Context): ActivityInboundCallsInterceptor {
    return {
      execute: async (input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) => {
        const run = runOf(input.args[0]);
        if (!this.tracing.on || run === null) return next(input);
        const { runId } = run;
        const traceparent = await this.traceOf(run);
        const attributes = {
          'gen_ai.conversation.id': runId,
          'temporal.activity.type': info.activityType,
          'temporal.activity.attempt': info.attempt,
          'temporal.workflow.id': info.workflowExecution?.workflowId ?? '',
          'temporal.workflow.run_id': info.workflowExecution?.runId ?? '',
        };
        const result = await this.tracing.step(
          { runId, traceparent },
          `RunActivity:${info.activityType}`,
          attributes,
          () => next(input),
        );
        if (info.activityType === 'concludeRun') await this.tellEnd(run);
        return result;
      },
    };
  }

  private traceOf(run: RunRef): Promise<string | null> {
    const known = this.traces.get(run.runId);
    if (known !== undefined) return known;
    const reading = this.read(run).then(
      (row) => row?.traceparent ?? null,
      (cause: unknown) => {
        // The step itself goes on; its span belongs to the trace that the run's id names.
        this.traces.delete(run.runId);
        this.log.warn({ err: cause, run: run.runId }, 'the trace of a run could not be read');
        return null;
      },
    );
    this.traces.set(run.runId, reading);
    return reading;
  }

  private read({ organizationId, runId }: RunRef): Promise<TracedRunRow | undefined> {
    return this.database.withTenant(organizationId, (tx) => readTracedRun(tx, runId));
  }

  /** The run has ended whether or not its span can be written. */
  private async tellEnd(run: RunRef): Promise<void> {
    try {
      await this.writeRun(run);
    } catch (cause) {
      this.log.warn({ err: cause, run: run.runId }, 'the span of a run could not be written');
    }
  }

  private async writeRun(run: RunRef): Promise<void> {
    const row = await this.read(run);
    if (row?.finished_at == null) return;
    const { runId } = run;
    this.tracing.recordRun(
      { runId, traceparent: row.traceparent },
      {
        name: `invoke_agent ${row.agent_name}`,
        startedAt: row.created_at.getTime(),
        endedAt: row.finished_at.getTime(),
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.id': row.agent_id,
          'gen_ai.agent.name': row.agent_name,
          'gen_ai.request.model': row.model,
          'gen_ai.conversation.id': runId,
          'gen_ai.usage.input_tokens': row.input_tokens,
          'gen_ai.usage.output_tokens': row.output_tokens,
          'sandgate.run.harness': row.harness,
          'sandgate.run.status': row.status,
          'sandgate.run.tool_calls': row.tool_calls,
          'sandgate.run.cost_usd': row.cost_usd,
          ...(row.started_at === null ? {} : { 'sandgate.run.started_at': row.started_at.toISOString() }),
        },
        errorType: row.status === 'completed' ? undefined : row.status,
      },
    );
  }
}

/** Activities of runs and approvals are given ids; those of the deployment are given nothing of a run. */
function runOf(argument: unknown): RunRef | null {
  const given = argument as Partial<RunRef> | null | undefined;
  const { organizationId, runId } = given ?? {};
  return typeof organizationId === 'string' && typeof runId === 'string' ? { organizationId, runId } : null;
}
