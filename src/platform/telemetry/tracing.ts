import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { formatTraceparent, parseTraceparent, spanIdOfRun, traceIdOfRun, type TraceParent } from './traceparent.js';

/** A run as traces know it. */
export interface TracedRun {
  runId: string;
  /** The trace in which it was created; null for one that was created outside any. */
  traceparent: string | null;
}

/** A step that is over. Attributes hold ids, names, numbers and words of ours: never content (docs/observability.md). */
export interface FinishedStep {
  name: string;
  kind?: SpanKind;
  attributes: Attributes;
  /** Milliseconds since 1970, with fractions. */
  startedAt: number;
  endedAt?: number;
  /** A word of a closed set; present means that the step failed. */
  errorType?: string | undefined;
}

/** Makes spans whose ids are given instead of chosen; the SDK asks it while a span begins. */
export interface FixedIds {
  with<T>(ids: { traceId?: string; spanId?: string }, begin: () => T): T;
}

/** Runs whose place in a trace is remembered. */
const MAX_RUNS = 2000;

/** Milliseconds since 1970, finer than the wall clock and in step with itself. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Writes the spans of this process; off, it does nothing. */
export class Tracing {
  static readonly off = new Tracing(null);
  private readonly runs = new LRUCache<string, Context>({ max: MAX_RUNS });
  private readonly tracer: Tracer = trace.getTracer('sandgate');

  constructor(
    private readonly ids: FixedIds | null,
    private readonly shutDown: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** Whether spans are wanted at all; ask before you compute anything for a span. */
  get on(): boolean {
    return this.ids !== null;
  }

  /** Begins a span that a caller's trace may hold; for requests of the public plane. */
  beginRequest(name: string, attributes: Attributes, traceparent: string | undefined): Span {
    const parent = parseTraceparent(traceparent);
    const within = parent === null ? ROOT_CONTEXT : remote(parent);
    return this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, within);
  }

  /** The trace in which the current step runs, to be kept with a run that it creates; null outside any. */
  currentTraceparent(): string | null {
    const current = this.on ? trace.getActiveSpan()?.spanContext() : undefined;
    if (current === undefined) return null;
    return formatTraceparent({ ...current, sampled: (current.traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  /** Does something as a step of the run, so that its log lines carry the trace; the span ends with it. */
  async step<T>(run: TracedRun, name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const span = this.tracer.startSpan(name, { attributes }, this.contextOf(run));
    try {
      return await context.with(trace.setSpan(this.contextOf(run), span), work);
    } catch (cause) {
      span.setAttribute('error.type', typeOf(cause)).setStatus({ code: SpanStatusCode.ERROR });
      throw cause;
    } finally {
      span.end();
    }
  }

  /** Writes a step of the run that is over. */
  record(run: TracedRun, step: FinishedStep): void {
    if (this.on) this.write(step, this.contextOf(run));
  }

  /** Writes the run's own span, which all its steps name as their parent. */
  recordRun(run: TracedRun, step: FinishedStep): void {
    if (this.ids === null) return;
    const parent = parseTraceparent(run.traceparent);
    const ids = { traceId: traceIdOfRun(run.runId), spanId: spanIdOfRun(run.runId) };
    this.ids.with(ids, () => this.write(step, parent === null ? ROOT_CONTEXT : remote(parent)));
  }

  /** Sends what is left. */
  close(): Promise<void> {
    return this.shutDown();
  }

  private write({ name, kind, attributes, startedAt, endedAt, errorType }: FinishedStep, within: Context): void {
    const span = this.tracer.startSpan(name, { kind: kind ?? SpanKind.INTERNAL, startTime: startedAt }, within);
    if (span.isRecording()) {
      span.setAttributes(attributes);
      if (errorType !== undefined) span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(endedAt ?? preciseNow());
  }

  private contextOf(run: TracedRun): Context {
    const known = this.runs.get(run.runId);
    if (known !== undefined) return known;
    const place = remote({ ...this.traceOf(run), spanId: spanIdOfRun(run.runId) });
    this.runs.set(run.runId, place);
    return place;
  }

  private traceOf({ runId, traceparent }: TracedRun): Pick<TraceParent, 'traceId' | 'sampled'> {
    const created = parseTraceparent(traceparent);
    if (created !== null) return created;
    const traceId = traceIdOfRun(runId);
    // Nobody has decided yet: the sampler decides by the trace's id, here as in every other process. The span is never written.
    const asked = this.ids?.with({ traceId }, () => this.tracer.startSpan('run', { root: true }).spanContext());
    return { traceId, sampled: ((asked?.traceFlags ?? TraceFlags.NONE) & TraceFlags.SAMPLED) !== 0 };
  }
}

/** The code of a known failure; for any other error not even its name, which may come from outside. */
function typeOf(cause: unknown): string {
  const type = (cause as { type?: unknown } | null)?.type;
  return typeof type === 'string' && /^[a-z_]{1,40}$/.test(type) ? type : 'failed';
}

function remote({ traceId, spanId, sampled }: TraceParent): Context {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
