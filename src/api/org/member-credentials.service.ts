import { Injectable } from '@nestjs/common';
import { pathId } from '../../domain/resource-id.js';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { MemberCredentials, type CredentialFilter } from '../../core/identity/management/member-credentials.js';
import type { RevokedCredential } from '../account/tokens.dto.js';
import { rowsAsked } from '../http/limit.js';
import { toMemberToken, type MemberTokenList } from './member-tokens.dto.js';
import {
  toWebSession,
  type ListCredentials,
  type RevokedWebSessions,
  type RevokeWebSessions,
  type WebSessionList,
} from './web-sessions.dto.js';

const DEFAULT_PAGE = 100;

/** Browser sessions and personal tokens of an organization's people, for those who manage it and for the operator. */
@Injectable()
export class MemberCredentialsService {
  constructor(private readonly credentials: MemberCredentials) {}

  async listSessions(organizationId: string, query: ListCredentials): Promise<WebSessionList> {
    const rows = await this.credentials.listSessions(organizationId, filterOf(query));
    return { web_sessions: rows.map(toWebSession) };
  }

  /** @throws SandgateError `not_found` */
  async revokeSession(organizationId: string, session: string, actor: AuditActor): Promise<RevokedCredential> {
    const id = pathId(session, 'browser session');
    await this.credentials.revokeSession(organizationId, { id, actor });
    return { revoked: true, id };
  }

  async revokeSessions(
    organizationId: string,
    { membership_id }: RevokeWebSessions,
    actor: AuditActor,
  ): Promise<RevokedWebSessions> {
    const of = { membershipId: membership_id?.toLowerCase() ?? null, actor };
    return { sessions_revoked: await this.credentials.revokeSessions(organizationId, of) };
  }

  async listTokens(organizationId: string, query: ListCredentials): Promise<MemberTokenList> {
    const rows = await this.credentials.listTokens(organizationId, filterOf(query));
    return { tokens: rows.map(toMemberToken) };
  }

  /** @throws SandgateError `not_found` */
  async revokeToken(organizationId: string, token: string, actor: AuditActor): Promise<RevokedCredential> {
    const id = pathId(token, 'token');
    await this.credentials.revokeToken(organizationId, { id, actor });
    return { revoked: true, id };
  }
}

function filterOf({ member, before, limit }: ListCredentials): CredentialFilter {
  return { membershipId: member ?? null, before: before ?? null, limit: rowsAsked(limit, DEFAULT_PAGE) };
}
