import { createHash } from 'node:crypto';

/** Where a span belongs, as W3C Trace Context writes it; nothing else of a caller's context is taken over. */
export interface TraceParent {
  /** 32 lowercase hex digits, not all zero. */
  traceId: string;
  /** 16 lowercase hex digits, not all zero. */
  spanId: string;
  sampled: boolean;
}

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** Reads a `traceparent`; null for anything that is not exactly one of version 00. */
export function parseTraceparent(text: string | null | undefined): TraceParent | null {
  const match = typeof text === 'string' ? FORM.exec(text) : null;
  if (match === null) return null;
  const [, traceId = '', spanId = '', flags = ''] = match;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The trace of a run that was created outside any trace: the run's id, so that it can be found without looking anything up. */
export function traceIdOfRun(runId: string): string {
  return runId.replaceAll('-', '').toLowerCase();
}

/**
 * The id of a run's own span. It is made of the run's id, because every process names it as the parent of its spans, long before
 * the run has ended and its span is written.
 */
export function spanIdOfRun(runId: string): string {
  return createHash('sha256').update(`sandgate run ${runId}`).digest('hex').slice(0, 16);
}
