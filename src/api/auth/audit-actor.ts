import type { FastifyRequest } from 'fastify';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { clientAddress } from '../http/client-address.js';
import type { Principal } from './principal.js';

/** The caller of a request as the audit log names them. */
export function actorOf(principal: Principal, request: FastifyRequest): AuditActor {
  return {
    kind: principal.kind,
    id: principal.name,
    sourceIp: clientAddress(request),
    requestId: request.id,
  };
}
