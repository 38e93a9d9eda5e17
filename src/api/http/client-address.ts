import type { FastifyRequest } from 'fastify';
import { readAddress, spellAddress } from '../../platform/egress/address-classes.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a proxy before us says who calls. */
    trustForwardedFor: boolean;
  }
}

/** Longer than any address; what a proxy says and is none is kept as it is. */
const MAX_CHARS = 100;

/** Some proxies add the port of the connection. */
const WITH_PORT = /^(?:([0-9.]+)|\[([0-9A-Fa-f:.]+)\]):[0-9]{1,5}$/;

/**
 * Where a request comes from: the peer of its connection, or what the proxy before us says of it, without a port and in one spelling. The
 * same value is the key of throttles and the address in the audit log.
 */
export function clientAddress(request: Pick<FastifyRequest, 'headers' | 'socket' | 'server'>): string {
  const { headers, socket, server } = request;
  const told = server.trustForwardedFor ? (firstOf(headers['x-forwarded-for']) ?? firstOf(headers['x-real-ip'])) : null;
  return plainly(told ?? socket.remoteAddress ?? 'unknown').slice(0, MAX_CHARS);
}

function plainly(text: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
  const address = readAddress(ipv4 ?? ipv6 ?? text);
  return address === null ? text : spellAddress(address);
}

function firstOf(header: string | string[] | undefined): string | null {
  const first = [header ?? ''].flat().join(',').split(',', 1)[0]?.trim() ?? '';
  return first === '' ? null : first;
}
