import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import type { ErrorCode, SandgateError } from '../../domain/errors.js';
import { redactText } from '../../domain/redaction/redact-text.js';
import { auditRefusal, type AuditAction } from '../../core/identity/audit-log.js';
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
    const { principal } = request;
    const { audit: action } = request.routeOptions.config;
    if (action === undefined || principal === undefined) return null;
    return this.write(request, { principal, action, code: failure.code }).catch((err: unknown) =>
      this.logger.error({ err, reqId: request.id }, 'a refusal could not be put into the audit log'),
    );
  }

  private async write(request: FastifyRequest, { principal, action, code }: Refusal): Promise<void> {
    await auditRefusal(this.database, await this.organizationOf(request, principal), {
      actor: actorOf(principal, request),
      action,
      target: targetOf(request),
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

interface Refusal {
  principal: Principal;
  action: AuditAction;
  code: ErrorCode;
}

interface RouteParams {
  slug?: string;
  id?: string;
}

const MAX_TARGET = 100;

/** What the path names, else the organization that was to be made. Who pastes a token in the place of its id leaves it in no record. */
function targetOf({ params, body }: FastifyRequest): string | null {
  const { id, slug } = params as RouteParams;
  const wished = (body as { slug?: unknown } | null | undefined)?.slug;
  const named = id ?? slug ?? (typeof wished === 'string' ? wished : null);
  return named === null ? null : redactText(named).slice(0, MAX_TARGET);
}
