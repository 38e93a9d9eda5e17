import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';

const CSRF_HEADER = 'x-service-csrf';
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what another site could have made a browser send: a changing request with a session needs a header that only pages of ours
 * can add, and comes from no other origin (CP-167).
 *
 * @param publicOrigin scheme, host and effective port under which people reach us
 * @throws SandgateError `forbidden`
 */
export function refuseCrossSite({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>, publicOrigin: string) {
  if (READING.has(method)) return;
  const marker = headers[CSRF_HEADER];
  if (typeof marker !== 'string' || marker.trim() !== '1') {
    throw new SandgateError('forbidden', `a change by a browser session needs the header ${CSRF_HEADER}: 1`);
  }
  const { origin } = headers;
  if (origin !== undefined && originOf(origin) !== publicOrigin) {
    throw new SandgateError('forbidden', 'this request comes from another origin');
  }
}

/** Scheme, host and effective port of an address; null for what has none, as the origin `null`. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin } = new URL(address);
  return origin === 'null' ? null : origin;
}
