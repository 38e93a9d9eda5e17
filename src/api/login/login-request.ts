import type { FastifyRequest } from 'fastify';
import type { Visit } from '../../core/identity/sign-in/verified-login.js';
import { clientAddress } from '../http/client-address.js';

/** What is kept of the program that a person signs in with. */
const MAX_AGENT_CHARS = 300;

/** Where a login comes from, for the record. */
export function visitOf(request: FastifyRequest): Visit {
  return {
    sourceIp: clientAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, MAX_AGENT_CHARS) ?? null,
    requestId: request.id,
  };
}

/** The query as it came: parameters that are there twice can be told. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}
