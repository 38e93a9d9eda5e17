import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import type { ErrorCode } from '../../../domain/errors.js';
import { DIALECTS } from '../../../domain/models/dialect.js';
import { ClosedLabel } from '../../../core/metrics/metric-labels.js';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../../platform/telemetry/metric-table.js';
import { Metrics } from '../../../core/metrics/metrics.js';
import { preciseNow, Tracing } from '../../../platform/telemetry/tracing.js';
import { RunLimits } from '../limits/run-limits.js';
import type { RelayedAnswer } from './answer-relay.js';
import type { ModelCall } from './model-call.js';

const DIALECT = new ClosedLabel(DIALECTS);

const TABLE = {
  requests: {
    name: 'service_llm_requests_total',
    help: 'Model requests that were forwarded, by what the provider answered; none when it did not.',
    labels: ['dialect', 'status'],
  },
  refusals: {
    name: 'service_llm_refusals_total',
    help: 'Model requests that the gateway itself refused.',
    labels: ['code'],
  },
  firstByte: {
    name: 'service_llm_first_byte_seconds',
    help: 'From the dispatch of a model request to the first byte of its answer.',
    labels: ['dialect'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60],
  },
  duration: {
    name: 'service_llm_request_seconds',
    help: 'From the dispatch of a model request to the end of its answer and its settlement.',
    labels: ['dialect'],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
  },
} as const satisfies MetricTable;

/** One request that went to a provider and came back. Times are milliseconds since 1970 (`preciseNow`). */
export interface ForwardedRequest {
  call: ModelCall;
  relayed: RelayedAnswer;
  /** The output limit that was forwarded; null for a request that produces none. */
  outputTokens: number | null;
  startedAt: number;
}

/**
 * Measures the model gateway and writes its spans, by the conventions of OpenTelemetry for generative AI. Model, counts, times and
 * statuses are all that is told; tokens and money are counted where they are recorded (`core/metrics/record-metrics`).
 */
@Injectable()
export class GatewayObserver {
  private readonly measured: MetricsOf<typeof TABLE>;

  constructor(
    metrics: Metrics,
    limits: RunLimits,
    private readonly tracing: Tracing,
  ) {
    this.measured = registerMetrics(metrics.registry, TABLE);
    metrics.gauge('service_llm_requests_in_flight', 'Model requests under way in this process.', () =>
      limits.total('model_requests'),
    );
  }

  refused(code: ErrorCode): void {
    this.measured.refusals.inc({ code });
  }

  forwarded(request: ForwardedRequest): void {
    const { call, relayed, startedAt } = request;
    const dialect = DIALECT.of(call.dialect.id);
    this.measured.requests.inc({ dialect, status: statusLabel(relayed.status) });
    if (relayed.firstByteAt !== null)
      this.measured.firstByte.observe({ dialect }, (relayed.firstByteAt - startedAt) / 1000);
    this.measured.duration.observe({ dialect }, (preciseNow() - startedAt) / 1000);
    if (this.tracing.on && request.outputTokens !== null) this.writeSpan(request, request.outputTokens);
  }

  private writeSpan({ call, relayed, startedAt }: ForwardedRequest, outputTokens: number): void {
    const { model } = call.run.spec;
    const { runId } = call.caller;
    this.tracing.record(
      { runId, traceparent: call.run.traceparent },
      {
        name: `chat ${model}`,
        kind: SpanKind.CLIENT,
        startedAt,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': call.dialect.id === 'anthropic' ? 'anthropic' : 'openai',
          'gen_ai.request.model': model,
          'gen_ai.request.max_tokens': outputTokens,
          'gen_ai.conversation.id': runId,
          'sandgate.llm.dialect': call.dialect.id,
          ...usageOf(relayed),
          ...(relayed.status === null ? {} : { 'http.response.status_code': relayed.status }),
          ...(relayed.firstByteAt === null
            ? {}
            : { 'gen_ai.response.time_to_first_chunk': (relayed.firstByteAt - startedAt) / 1000 }),
        },
        errorType: errorOf(relayed),
      },
    );
  }
}

/** The conventions count what came from a cache, or went into it, as input too. */
function usageOf({ answer, status }: RelayedAnswer): Record<string, number> {
  const usage = answer?.usage ?? null;
  if (usage === null || status === null || status >= 300) return {};
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
  };
}

function errorOf({ status, complete }: RelayedAnswer): string | undefined {
  if (status === null) return 'no_answer';
  if (status >= 400) return String(status);
  return complete ? undefined : 'incomplete';
}

function statusLabel(status: number | null): string {
  if (status === null) return 'none';
  return status === 429 ? '429' : `${Math.min(Math.floor(status / 100), 5)}xx`;
}
