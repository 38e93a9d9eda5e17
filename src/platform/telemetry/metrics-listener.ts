import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ListenAddress } from '../config/readers.js';
import type { Logger } from './logger.js';

/** Of Prometheus' text format 0.0.4 (docs/observability.md). */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What a scrape reads. */
export interface ScrapedMetrics {
  render(): Promise<string>;
}

/** A request that takes longer than this to arrive is dropped. */
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * `GET /metrics` on a listener of its own, without authentication and with nothing else on it (docs/observability.md,
 * docs/design/configuration.md).
 *
 * @throws when the address cannot be listened to; a failure afterwards is logged and ends nothing else
 */
export async function listenForScrapes(
  metrics: ScrapedMetrics,
  address: ListenAddress,
  log: Pick<Logger, 'error'>,
): Promise<Server> {
  const server = createServer((request, response) => void answer(metrics, request, response, log));
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  server.removeAllListeners('error');
  server.on('error', (error) => log.error({ err: error }, 'the metrics listener failed'));
  server.unref();
  return server;
}

async function answer(
  metrics: ScrapedMetrics,
  { method, url }: IncomingMessage,
  response: ServerResponse,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (url?.split('?', 1)[0] !== '/metrics' || !isRead) return refuse(response, 404, 'not found; ask for GET /metrics');
  try {
    const text = await metrics.render();
    response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE, 'cache-control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : text);
  } catch (error) {
    log.error({ err: error }, 'the metrics could not be collected');
    refuse(response, 500, 'the metrics could not be collected');
  }
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}
