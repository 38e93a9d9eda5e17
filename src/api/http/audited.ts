import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { SandgateError } from '../../domain/errors.js';
import type { AuditAction } from '../../core/identity/audit-log.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the audit log calls the step of this route. */
    audit?: AuditAction;
  }
}

/** A privileged step: its refusals go into the audit log, as the service puts what was done. */
export const Audited = (audit: AuditAction): MethodDecorator => RouteConfig({ audit });

/** Told of every failure before it is answered. */
export abstract class RefusalObserver {
  /** @returns what the answer waits for, which never rejects; null for what nobody needs to know of */
  abstract note(request: FastifyRequest, failure: SandgateError): Promise<void> | null;
}
