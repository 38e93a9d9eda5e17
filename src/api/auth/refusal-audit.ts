import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import type { SandgateError } from '../../domain/errors.js';
import { auditRefusal } from '../../core/identity/audit-log.js';
import { findOrganization } from '../../core/organizations/organizations.js';
import { Database } from '../../core/record/database.js';
import { RefusalObserver } from '../http/audited.js';
import { actorOf } from './audit-actor.js';
import type { Principal } from './principal.js';

/**
 * Puts refused privileged steps on record, after their transactions. Only of callers whose credential was verified: anybody can be
 * refused for having none. A refusal stands also when it cannot be recorded.
 */
@Injectable()
export class RefusalAudit extends RefusalObserver {
  constructor(
    private readonly database: Database,
    private readonly logger: PinoLogger,
  ) {
    super();
  }

  note(request: FastifyRequest, failure: SandgateError): Promise<void> | null {
    if (request.routeOptions.config.audit === undefined || request.principal === undefined) return null;
    return this.write(request, failure).catch((err: unknown) =>
      this.logger.error({ err, reqId: request.id }, 'a refusal could not be put into the audit log'),
    );
  }

  private async write(request: FastifyRequest, { code }: SandgateError): Promise<void> {
    const { principal } = request;
    const { audit: action } = request.routeOptions.config;
    if (action === undefined || principal === undefined) return;
    await auditRefusal(this.database, await this.organizationOf(request, principal), {
      actor: actorOf(principal, request),
      action,
      target: targetOf(request)?.slice(0, MAX_TARGET) ?? null,
      detail: { code },
    });
  }

  /** The one that a path of the operator names, else the caller's; null for one that does not exist, or not yet. */
  private async organizationOf({ params, routeOptions }: FastifyRequest, principal: Principal): Promise<string | null> {
    const { slug } = params as RouteParams;
    if (slug !== undefined) return (await findOrganization(this.database, slug))?.id ?? null;
    return routeOptions.config.audit === 'org.create' ? null : principal.organizationId;
  }
}

interface RouteParams {
  slug?: string;
  id?: string;
}

const MAX_TARGET = 100;

/** What the path names, else the organization that was to be made. */
function targetOf({ params, body }: FastifyRequest): string | null {
  const { id, slug } = params as RouteParams;
  const wished = (body as { slug?: unknown } | null | undefined)?.slug;
  return id ?? slug ?? (typeof wished === 'string' ? wished : null);
}
