import { Injectable } from '@nestjs/common';
import { listAudit } from '../../core/identity/audit-log.js';
import { Database } from '../../core/record/database.js';
import { rowsAsked } from '../http/limit.js';
import { toAuthAuditEntry, type AuthAuditList, type ListAuthAudit } from './auth-audit.dto.js';

const DEFAULT_PAGE = 100;

/** The log of privileged steps (docs/design/identity.md). */
@Injectable()
export class AuthAuditService {
  constructor(private readonly database: Database) {}

  /** @param organizationId null for the whole deployment */
  async list(organizationId: string | null, query: ListAuthAudit): Promise<AuthAuditList> {
    const rows = await listAudit(this.database, {
      organizationId,
      action: query.action ?? null,
      success: query.success === undefined ? null : query.success === 'true',
      before: query.before ?? null,
      limit: rowsAsked(query.limit, DEFAULT_PAGE),
    });
    return { entries: rows.map(toAuthAuditEntry) };
  }
}
