import { Injectable } from '@nestjs/common';
import type { GateVerdict } from '../../../domain/gate/gate-verdict.js';
import { isCanonicalTool } from '../../../domain/tools/vocabulary.js';
import type { GateAnswer, GateOutcome } from '../../../core/gate/gate.js';
import { OTHER } from '../../../core/metrics/metric-labels.js';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../../platform/telemetry/metric-table.js';
import { Metrics } from '../../../core/metrics/metrics.js';
import { preciseNow, Tracing } from '../../../platform/telemetry/tracing.js';
import type { GateResult } from '../../../domain/gate/gate-verdict.js';
import type { FrozenRun } from '../../../core/gate/run-specs.js';

const TABLE = {
  latency: {
    name: 'service_gate_decision_seconds',
    help: 'From a call to its recorded verdict, or to the recorded question to a human; waiting for people is not in it.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
} as const satisfies MetricTable;

/** One decided call. */
export interface DecidedCall {
  runId: string;
  run: FrozenRun;
  tool: string;
  verdict: GateVerdict['kind'];
  /** What decided without a person; null for a question. */
  source: string | null;
  answer: GateAnswer;
  result: GateResult;
  /** Milliseconds since 1970 (`preciseNow`). */
  startedAt: number;
}

/**
 * How fast the gate decides, and a span for each call that it decided. What it decides is counted where it is recorded
 * (`core/metrics/record-metrics`).
 */
@Injectable()
export class GateObserver {
  private readonly measured: MetricsOf<typeof TABLE>;

  constructor(
    { registry }: Metrics,
    private readonly tracing: Tracing,
  ) {
    this.measured = registerMetrics(registry, TABLE);
  }

  /** Whether spans are wanted. */
  get traces(): boolean {
    return this.tracing.on;
  }

  /** A call that came at `startedAt` has its recorded verdict, or its question. */
  answered(startedAt: number): void {
    this.measured.latency.observe((preciseNow() - startedAt) / 1000);
  }

  /**
   * The caller has its answer, and waits for people are over. The span names tool, verdict and the ledger position where the rest
   * stands; the call's id and input are the agent's words and are not in it.
   */
  decided({ runId, run, tool, verdict, source, answer, result, startedAt }: DecidedCall): void {
    const name = isCanonicalTool(tool) || run.gate.tools.find(tool) !== undefined ? tool : OTHER;
    this.tracing.record(
      { runId, traceparent: run.traceparent },
      {
        name: `execute_tool ${name}`,
        startedAt,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.type': isCanonicalTool(tool) ? 'function' : 'extension',
          'gen_ai.conversation.id': runId,
          'sandgate.gate.verdict': verdict,
          'sandgate.gate.source': sourceOf(answer.outcome, source),
          'sandgate.gate.answer': result.kind,
          ...(answer.seq === null ? {} : { 'sandgate.event.seq': answer.seq }),
        },
        errorType: result.kind === 'deny' ? 'denied' : undefined,
      },
    );
  }
}

/** Who decided the call in the end. */
function sourceOf(outcome: GateOutcome, source: string | null): string {
  switch (outcome) {
    case 'asked':
    case 'pending':
      return 'human';
    case 'session_allow':
      return 'session_scope';
    case 'protocol_violation':
    case 'budget':
      return outcome;
    case 'replay_allow':
    case 'replay_deny':
      return 'replay';
    case 'inactive':
      return 'session_terminal';
    default:
      return source ?? 'policy';
  }
}
