import { LRUCache } from 'lru-cache';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { EventData, NewEvent } from '../../domain/events/event-kinds.js';
import { isTerminal } from '../../domain/run/status.js';
import type { RecordObserver, ReservationEvent, RunMove } from '../record/record-observer.js';
import {
  BROKER_OUTCOME_LABEL,
  ClosedLabel,
  DECISION_LABEL,
  DENY_SOURCE_LABEL,
  OUTCOME_LABEL,
  toolLabel,
  VERDICT_LABEL,
} from './metric-labels.js';

/** Launches whose time is kept; one that never becomes `running` here is forgotten after so many others. */
const MAX_LAUNCHES = 4096;

const HUMAN_SECONDS = [1, 5, 15, 30, 60, 120, 300, 900, 1800, 3600, 14_400, 86_400];
const WAIT_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
const BROKER_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];
const RUN_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 10_800];

/** Counts what this process puts on the record: ledger, verdicts, approvals, runs, reservations (docs/observability.md). */
export class RecordMetrics implements RecordObserver {
  private readonly ledgerEvents: Counter;
  private readonly decisions: Counter<'verdict'>;
  private readonly denials: Counter<'source'>;
  private readonly toolDecisions: Counter<'tool' | 'verdict'>;
  private readonly approvals: Counter<'decision'>;
  private readonly approvalWait: Histogram;
  private readonly created: Counter;
  private readonly terminal: Counter<'outcome'>;
  private readonly queueWait: Histogram;
  private readonly provisioning: Histogram;
  private readonly duration: Histogram<'outcome'>;
  private readonly reservations: Counter<'event'>;
  private readonly tokens: Counter<'kind' | 'model'>;
  private readonly cost: Counter<'model'>;
  private readonly brokered: Counter<'outcome'>;
  private readonly brokerLatency: Histogram;
  private readonly launches = new LRUCache<string, number>({ max: MAX_LAUNCHES });
  private model = new ClosedLabel([]);

  constructor(registry: Registry) {
    const registers = [registry];
    this.ledgerEvents = new Counter({
      registers,
      name: 'service_ledger_events_total',
      help: 'Events appended to the ledgers of runs.',
    });
    this.decisions = new Counter({
      registers,
      name: 'service_gate_decisions_total',
      help: 'Recorded verdicts of the gate; require_approval is a question to a human, whose answer is counted as well.',
      labelNames: ['verdict'],
    });
    this.denials = new Counter({
      registers,
      name: 'service_gate_deny_source_total',
      help: 'Recorded denials by what denied.',
      labelNames: ['source'],
    });
    this.toolDecisions = new Counter({
      registers,
      name: 'service_gate_tool_decisions_total',
      help: 'Recorded verdicts by built-in tool; mcp for every tool of an MCP server.',
      labelNames: ['tool', 'verdict'],
    });
    this.approvals = new Counter({
      registers,
      name: 'service_approvals_settled_total',
      help: 'Approvals that were decided or ran out.',
      labelNames: ['decision'],
    });
    this.approvalWait = new Histogram({
      registers,
      name: 'service_approval_wait_seconds',
      help: 'From the question to the decision or its expiry.',
      buckets: HUMAN_SECONDS,
    });
    this.created = new Counter({ registers, name: 'service_runs_created_total', help: 'Runs created.' });
    this.terminal = new Counter({
      registers,
      name: 'service_runs_terminal_total',
      help: 'Runs that ended, by outcome.',
      labelNames: ['outcome'],
    });
    this.queueWait = new Histogram({
      registers,
      name: 'service_run_queue_wait_seconds',
      help: 'From creation, or from the last entry into the queue, to a place.',
      buckets: WAIT_SECONDS,
    });
    this.provisioning = new Histogram({
      registers,
      name: 'service_run_provisioning_latency_seconds',
      help: 'From initializing to running: workspace and sandbox.',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    });
    this.duration = new Histogram({
      registers,
      name: 'service_run_duration_seconds',
      help: 'From running to the end, by outcome; runs that never ran are not in it.',
      labelNames: ['outcome'],
      buckets: RUN_SECONDS,
    });
    this.reservations = new Counter({
      registers,
      name: 'service_llm_reservations_total',
      help: 'Model budget: booked, refused, charged, released, unreported; swept are the unreported of dead processes.',
      labelNames: ['event'],
    });
    this.tokens = new Counter({
      registers,
      name: 'service_llm_tokens_total',
      help: 'Tokens that providers reported; input is without what came from a cache or went into it.',
      labelNames: ['kind', 'model'],
    });
    this.cost = new Counter({
      registers,
      name: 'service_llm_cost_usd_total',
      help: 'What the reported tokens cost at the known prices.',
      labelNames: ['model'],
    });
    this.brokered = new Counter({
      registers,
      name: 'service_brokered_calls_total',
      help: 'Brokered calls by what became of their claim.',
      labelNames: ['outcome'],
    });
    this.brokerLatency = new Histogram({
      registers,
      name: 'service_broker_call_latency_ms',
      help: 'From the claim of a brokered call to what its upstream said; calls given up unheard of are not in it.',
      buckets: BROKER_MS,
    });
  }

  /** The models that have series of their own. */
  nameModels(models: Iterable<string>): void {
    this.model = new ClosedLabel(models);
  }

  appended(events: readonly NewEvent[]): void {
    this.ledgerEvents.inc(events.length);
    for (const event of events) this.count(event);
  }

  moved({ sessionId, from, to, waitedSecs, ranSecs }: RunMove): void {
    if (to === 'provisioning') this.queueWait.observe(waitedSecs);
    this.timeLaunch(sessionId, to);
    if (!isTerminal(to)) return;
    const outcome = OUTCOME_LABEL.of(to);
    this.terminal.inc({ outcome });
    if (ranSecs !== null && from === 'finalizing') this.duration.observe({ outcome }, ranSecs);
  }

  approvalSettled(decision: string, waitedSecs: number): void {
    this.approvals.inc({ decision: DECISION_LABEL.of(decision) });
    this.approvalWait.observe(waitedSecs);
  }

  reservation(event: ReservationEvent): void {
    this.reservations.inc({ event });
  }

  private count(event: NewEvent): void {
    if ('posted' in event) return;
    if (event.type === 'tool.decision') {
      const { verdict, tool, source } = event.data;
      this.decide(tool, verdict);
      if (verdict === 'deny') this.denials.inc({ source: DENY_SOURCE_LABEL.of(source) });
    } else if (event.type === 'approval.requested') {
      this.decide(event.data.tool, 'require_approval');
    } else if (event.type === 'session.created') {
      this.created.inc();
    } else if (event.type === 'model.response') {
      this.charge(event.data);
    } else if (event.type === 'tool.brokered') {
      const { outcome, latency_ms: latencyMs } = event.data;
      this.brokered.inc({ outcome: BROKER_OUTCOME_LABEL.of(outcome) });
      if (latencyMs > 0) this.brokerLatency.observe(latencyMs);
    }
  }

  private charge(data: EventData['model.response']): void {
    const model = this.model.of(data.model);
    this.tokens.inc({ kind: 'input', model }, data.input_tokens);
    this.tokens.inc({ kind: 'output', model }, data.output_tokens);
    this.tokens.inc({ kind: 'cache_read', model }, data.cache_read_tokens);
    this.tokens.inc({ kind: 'cache_write', model }, data.cache_write_tokens);
    if (data.cost_usd !== null) this.cost.inc({ model }, data.cost_usd);
  }

  private decide(tool: string, verdict: string): void {
    const label = VERDICT_LABEL.of(verdict);
    this.decisions.inc({ verdict: label });
    this.toolDecisions.inc({ tool: toolLabel(tool), verdict: label });
  }

  /** Both moves of a launch are made by the launching host. */
  private timeLaunch(sessionId: string, to: RunMove['to']): void {
    if (to === 'initializing') {
      this.launches.set(sessionId, performance.now());
      return;
    }
    const since = this.launches.get(sessionId);
    if (since === undefined) return;
    this.launches.delete(sessionId);
    if (to === 'running') this.provisioning.observe((performance.now() - since) / 1000);
  }
}
