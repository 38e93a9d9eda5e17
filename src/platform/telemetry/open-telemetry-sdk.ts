import { randomBytes } from 'node:crypto';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { Logger } from './logger.js';
import { Tracing, type FixedIds } from './tracing.js';

/** Of the process, its host and its command line nothing is sent unless the operator names further detectors. */
const DETECTORS = 'env,serviceinstance';

/** Starts the SDK as its standard variables say: exporter, endpoint, headers, sampler, batches, resource. Traces only. */
export function startSdk(service: string, env: NodeJS.ProcessEnv, log: Pick<Logger, 'warn' | 'error'>): Tracing {
  process.env['OTEL_NODE_RESOURCE_DETECTORS'] ??= DETECTORS;
  const ids = new GivenIds();
  const sdk = new NodeSDK({
    ...(hasServiceName(env) ? {} : { serviceName: service }),
    idGenerator: ids,
    // We read the caller's context ourselves, and pass none on.
    textMapPropagator: null,
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  // An exporter that cannot deliver says so in the log of the process, through its redactor.
  diag.setLogger(
    {
      error: (message) => log.error({ from: 'opentelemetry' }, message),
      warn: (message) => log.warn({ from: 'opentelemetry' }, message),
      info: () => undefined,
      debug: () => undefined,
      verbose: () => undefined,
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return new Tracing(ids, () => sdk.shutdown());
}

function hasServiceName(env: NodeJS.ProcessEnv): boolean {
  return (
    (env['OTEL_SERVICE_NAME'] ?? '') !== '' || /(^|,)\s*service\.name=/.test(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '')
  );
}

/** Random ids, except while given ids are set. Spans begin synchronously, so no other span can take them. */
class GivenIds implements FixedIds {
  private given: { traceId?: string; spanId?: string } = {};

  generateTraceId = (): string => this.given.traceId ?? randomBytes(16).toString('hex');

  generateSpanId = (): string => this.given.spanId ?? randomBytes(8).toString('hex');

  with<T>(ids: { traceId?: string; spanId?: string }, begin: () => T): T {
    this.given = ids;
    try {
      return begin();
    } finally {
      this.given = {};
    }
  }
}
