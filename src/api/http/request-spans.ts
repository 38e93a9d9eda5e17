import type { IncomingMessage } from 'node:http';
import { context, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tracing } from '../../platform/telemetry/tracing.js';

/** Asked every few seconds by balancers and scrapers; spans of these would bury the rest. */
const SILENT_ROUTES: ReadonlySet<string> = new Set(['/v1/health', '/v1/health/ready', '/v1/admin/metrics']);

const SPANS = new WeakMap<IncomingMessage, Span>();

/**
 * A span for every request of the public plane, in the caller's trace where there is one. Method, route and status are all that it
 * holds: addresses, queries, headers and bodies may carry content.
 */
export function traceRequests(server: FastifyInstance, tracing: Tracing): void {
  if (!tracing.on) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url;
    if (route?.startsWith('/v1/') === true && !SILENT_ROUTES.has(route)) begin(tracing, request, route);
    done();
  });
  // Behind the reading of the body, whose callbacks run in a context of their own.
  server.addHook('preHandler', (request, _reply, done) => {
    const span = SPANS.get(request.raw);
    if (span === undefined) done();
    else context.with(trace.setSpan(context.active(), span), done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    end(request.raw, reply.statusCode);
    done();
  });
  server.addHook('onRequestAbort', (request, done) => {
    end(request.raw, null);
    done();
  });
}

/** For log lines that are written outside the request's context. */
export function traceIdsOf(request: IncomingMessage): object {
  const place = SPANS.get(request)?.spanContext();
  return place === undefined ? {} : { trace_id: place.traceId, span_id: place.spanId };
}

function begin(tracing: Tracing, { raw, method, headers }: FastifyRequest, route: string): void {
  const { traceparent } = headers;
  const given = typeof traceparent === 'string' ? traceparent : undefined;
  const attributes = { 'http.request.method': method, 'http.route': route };
  SPANS.set(raw, tracing.beginRequest(`${method} ${route}`, attributes, given));
}

/** `status` is null for a client that went away. */
function end(request: IncomingMessage, status: number | null): void {
  const span = SPANS.get(request);
  if (span?.isRecording() !== true) return;
  if (status !== null) span.setAttribute('http.response.status_code', status);
  if (status === null || status >= 500) {
    span.setAttribute('error.type', status === null ? 'client_gone' : String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
