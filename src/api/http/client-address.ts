import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a proxy before us says who calls. */
    trustForwardedFor: boolean;
  }
}

/** Longer than any address; what a proxy says is kept as it is. */
const MAX_CHARS = 100;

/**
 * Where a request comes from: the peer of its connection, or what the proxy before us says of it. The same value is the key of throttles
 * and the address in the audit log.
 */
export function clientAddress(request: Pick<FastifyRequest, 'headers' | 'socket' | 'server'>): string {
  const { headers, socket, server } = request;
  const told = server.trustForwardedFor ? (firstOf(headers['x-forwarded-for']) ?? firstOf(headers['x-real-ip'])) : null;
  return (told ?? socket.remoteAddress ?? 'unknown').slice(0, MAX_CHARS);
}

function firstOf(header: string | string[] | undefined): string | null {
  const first = [header ?? ''].flat().join(',').split(',', 1)[0]?.trim() ?? '';
  return first === '' ? null : first;
}
