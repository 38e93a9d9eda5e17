import { writeSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger } from 'pino';
import { redactText } from '../../domain/redaction/redact-text.js';
import { describeError } from './logged-error.js';

export type { Logger } from 'pino';

/** Whole lines pass the redactor, so that a secret in an error text or a nested field does not reach a log either. */
export const redactingStandardError: DestinationStream = {
  write: (line: string) => {
    writeSync(2, redactText(line));
  },
};

/** How values of a log line are written, in every process. */
export const LOG_SERIALIZERS = { err: describeError };

/** Structured logs on standard error, one JSON object a line, with secrets and token shapes redacted (docs/design/configuration.md). */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level, mixin: activeTraceIds, serializers: LOG_SERIALIZERS }, redactingStandardError);
}

/** The trace that a log line belongs to; nothing outside a trace, and while tracing is off. */
export function activeTraceIds(): object {
  const place = trace.getActiveSpan()?.spanContext();
  return place === undefined ? {} : { trace_id: place.traceId, span_id: place.spanId };
}
