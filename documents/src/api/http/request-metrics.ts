import type { FastifyInstance } from 'fastify';
import { registerMetrics, type MetricTable } from '../../../../src/platform/telemetry/metric-table.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';

const TABLE = {
  seconds: {
    name: 'docsvc_http_request_seconds',
    help: 'Requests by method, route and status, from their first byte to the last of the answer.',
    labels: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.15, 0.5, 1, 5, 30, 300],
  },
} as const satisfies MetricTable;

/** Measures every request under the pattern of its route, so that ids make no series of their own. */
export function measureRequests(server: FastifyInstance, metrics: Metrics): void {
  const { seconds } = registerMetrics(metrics.registry, TABLE);
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    seconds.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    done();
  });
}
