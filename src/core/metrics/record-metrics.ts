import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import type { EventData, NewEvent } from '../../domain/events/event-kinds.js';
import { isTerminal } from '../../domain/run/status.js';
import type { GrantOutcome, RecordObserver, ReservationEvent, RunMove } from '../record/record-observer.js';
import {
  BROKER_OUTCOME_LABEL,
  ClosedLabel,
  DECISION_LABEL,
  DENY_SOURCE_LABEL,
  OUTCOME_LABEL,
  toolLabel,
  VERDICT_LABEL,
} from './metric-labels.js';
import { registerMetrics, type MetricsOf, type MetricTable } from '../../platform/telemetry/metric-table.js';

/** Launches whose time is kept; one that never becomes `running` here is forgotten after so many others. */
const MAX_LAUNCHES = 4096;

const HUMAN_SECONDS = [1, 5, 15, 30, 60, 120, 300, 900, 1800, 3600, 14_400, 86_400];
const WAIT_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
const BROKER_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];
const RUN_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 10_800];

const TABLE = {
  ledgerEvents: {
    name: 'service_ledger_events_total',
    help: 'Events appended to the ledgers of runs.',
  },
  decisions: {
    name: 'service_gate_decisions_total',
    help: 'Recorded verdicts of the gate; require_approval is a question to a human, whose answer is counted as well.',
    labels: ['verdict'],
  },
  denials: {
    name: 'service_gate_deny_source_total',
    help: 'Recorded denials by what denied.',
    labels: ['source'],
  },
  toolDecisions: {
    name: 'service_gate_tool_decisions_total',
    help: 'Recorded verdicts by built-in tool; mcp for every tool of an MCP server.',
    labels: ['tool', 'verdict'],
  },
  approvals: {
    name: 'service_approvals_settled_total',
    help: 'Approvals that were decided or ran out.',
    labels: ['decision'],
  },
  approvalWait: {
    name: 'service_approval_wait_seconds',
    help: 'From the question to the decision or its expiry.',
    buckets: HUMAN_SECONDS,
  },
  created: { name: 'service_runs_created_total', help: 'Runs created.' },
  terminal: {
    name: 'service_runs_terminal_total',
    help: 'Runs that ended, by outcome.',
    labels: ['outcome'],
  },
  queueWait: {
    name: 'service_run_queue_wait_seconds',
    help: 'From creation, or from the last entry into the queue, to a place.',
    buckets: WAIT_SECONDS,
  },
  provisioning: {
    name: 'service_run_provisioning_latency_seconds',
    help: 'From initializing to running: workspace and sandbox.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  },
  duration: {
    name: 'service_run_duration_seconds',
    help: 'From running to the end, by outcome; runs that never ran are not in it.',
    labels: ['outcome'],
    buckets: RUN_SECONDS,
  },
  reservations: {
    name: 'service_llm_reservations_total',
    help: 'Model budget: booked, refused, charged, released, unreported; swept are the unreported of dead processes.',
    labels: ['event'],
  },
  tokens: {
    name: 'service_llm_tokens_total',
    help: 'Tokens that providers reported; input is without what came from a cache or went into it.',
    labels: ['kind', 'model'],
  },
  cost: {
    name: 'service_llm_cost_usd_total',
    help: 'What the reported tokens cost at the known prices.',
    labels: ['model'],
  },
  networkGrants: {
    name: 'service_network_grants_total',
    help: 'Grants of the network to runs: in force, asked of a person, refused by one, ended.',
    labels: ['outcome'],
  },
  deliveries: {
    name: 'service_deliveries_total',
    help: 'Results of runs that arrived at a destination, or were given up after their last attempt.',
    labels: ['event'],
  },
  revocations: {
    name: 'service_connection_revocations_total',
    help: 'Connections that somebody revoked.',
  },
  brokered: {
    name: 'service_brokered_calls_total',
    help: 'Brokered calls by what became of their claim.',
    labels: ['outcome'],
  },
  brokerLatency: {
    name: 'service_broker_call_latency_ms',
    help: 'From the claim of a brokered call to what its upstream said; calls given up unheard of are not in it.',
    buckets: BROKER_MS,
  },
} as const satisfies MetricTable;

/** Counts what this process puts on the record: ledger, verdicts, approvals, runs, reservations (docs/observability.md). */
export class RecordMetrics implements RecordObserver {
  private readonly measured: MetricsOf<typeof TABLE>;
  private readonly launches = new LRUCache<string, number>({ max: MAX_LAUNCHES });
  private model = new ClosedLabel([]);

  constructor(registry: Registry) {
    this.measured = registerMetrics(registry, TABLE);
  }

  /** The models that have series of their own. */
  nameModels(models: Iterable<string>): void {
    this.model = new ClosedLabel(models);
  }

  appended(events: readonly NewEvent[]): void {
    this.measured.ledgerEvents.inc(events.length);
    for (const event of events) this.count(event);
  }

  moved({ runId, from, to, waitedSecs, ranSecs }: RunMove): void {
    if (to === 'provisioning') this.measured.queueWait.observe(waitedSecs);
    this.timeLaunch(runId, to);
    if (!isTerminal(to)) return;
    const outcome = OUTCOME_LABEL.of(to);
    this.measured.terminal.inc({ outcome });
    if (ranSecs !== null && from === 'finalizing') this.measured.duration.observe({ outcome }, ranSecs);
  }

  approvalSettled(decision: string, waitedSecs: number): void {
    this.measured.approvals.inc({ decision: DECISION_LABEL.of(decision) });
    this.measured.approvalWait.observe(waitedSecs);
  }

  reservation(event: ReservationEvent): void {
    this.measured.reservations.inc({ event });
  }

  networkGrant(outcome: GrantOutcome): void {
    this.measured.networkGrants.inc({ outcome });
  }

  connectionRevoked(): void {
    this.measured.revocations.inc();
  }

  private count(event: NewEvent): void {
    if ('posted' in event) return;
    if (event.type === 'tool.decision') {
      const { verdict, tool, source } = event.data;
      this.decide(tool, verdict);
      if (verdict === 'deny') this.measured.denials.inc({ source: DENY_SOURCE_LABEL.of(source) });
    } else if (event.type === 'approval.requested') {
      this.decide(event.data.tool, 'require_approval');
    } else if (event.type === 'session.created') {
      this.measured.created.inc();
    } else if (event.type === 'model.response') {
      this.charge(event.data);
    } else if (event.type === 'callback.delivered') {
      this.measured.deliveries.inc({ event: 'delivered' });
    } else if (event.type === 'callback.failed') {
      this.measured.deliveries.inc({ event: 'failed' });
    } else if (event.type === 'tool.brokered') {
      const { outcome, latency_ms: latencyMs } = event.data;
      this.measured.brokered.inc({ outcome: BROKER_OUTCOME_LABEL.of(outcome) });
      if (latencyMs > 0) this.measured.brokerLatency.observe(latencyMs);
    }
  }

  private charge(data: EventData['model.response']): void {
    const model = this.model.of(data.model);
    this.measured.tokens.inc({ kind: 'input', model }, data.input_tokens);
    this.measured.tokens.inc({ kind: 'output', model }, data.output_tokens);
    this.measured.tokens.inc({ kind: 'cache_read', model }, data.cache_read_tokens);
    this.measured.tokens.inc({ kind: 'cache_write', model }, data.cache_write_tokens);
    if (data.cost_usd !== null) this.measured.cost.inc({ model }, data.cost_usd);
  }

  private decide(tool: string, verdict: string): void {
    const label = VERDICT_LABEL.of(verdict);
    this.measured.decisions.inc({ verdict: label });
    this.measured.toolDecisions.inc({ tool: toolLabel(tool), verdict: label });
  }

  /** Both moves of a launch are made by the launching host. */
  private timeLaunch(runId: string, to: RunMove['to']): void {
    if (to === 'initializing') {
      this.launches.set(runId, performance.now());
      return;
    }
    const since = this.launches.get(runId);
    if (since === undefined) return;
    this.launches.delete(runId);
    if (to === 'running') this.measured.provisioning.observe((performance.now() - since) / 1000);
  }
}
