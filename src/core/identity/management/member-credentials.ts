import { IsNull } from 'typeorm';
import { notFound } from '../../../domain/resource-id.js';
import { changeRow, CLOCK } from '../../../platform/postgres/write-rows.js';
import type { Database } from '../../record/database.js';
import { auditStep, type AuditActor } from '../audit-log.js';
import { PersonalTokenEntity } from '../personal-token.entity.js';
import type { PersonalToken } from '../personal-tokens.js';
import { revokeWebSession } from '../web-sessions.js';

/** A live browser session with whose it is. */
export interface ListedWebSession {
  id: string;
  membership_id: string;
  user_id: string;
  email: string | null;
  name: string | null;
  idp_config_id: string;
  source_ip: string | null;
  user_agent: string | null;
  created_at: Date;
  last_seen_at: Date;
  idle_expires_at: Date;
  absolute_expires_at: Date;
}

/** A personal access token with whose it is. */
export type ListedPersonalToken = PersonalToken & { email: string | null };

export interface CredentialFilter {
  /** Of one member; of everybody when null. */
  membershipId: string | null;
  /** Only what is older than that one. */
  before: string | null;
  limit: number;
}

/** Browser sessions and personal tokens of an organization's people, seen and ended by those who manage it. */
export class MemberCredentials {
  constructor(private readonly database: Database) {}

  /** Live ones, newest first. */
  listSessions(organizationId: string, { membershipId, before, limit }: CredentialFilter): Promise<ListedWebSession[]> {
    return this.database.withTenant(organizationId, (tx) =>
      tx.query<ListedWebSession>('select * from svc_list_web_sessions($1, $2, $3)', [membershipId, before, limit]),
    );
  }

  /** @throws SandgateError `not_found`, also for one that was revoked before */
  revokeSession(organizationId: string, { id, actor }: { id: string; actor: AuditActor }): Promise<void> {
    return this.database.withTenant(organizationId, async (tx) => {
      if (!(await revokeWebSession(tx, id))) throw notFound('browser session');
      await auditStep(tx, { actor, action: 'session.revoke', target: id });
    });
  }

  /** @returns how many were alive */
  revokeSessions(
    organizationId: string,
    { membershipId, actor }: { membershipId: string | null; actor: AuditActor },
  ): Promise<number> {
    return this.database.withTenant(organizationId, async (tx) => {
      const [row] = await tx.query<{ revoked: number }>('select svc_revoke_web_sessions($1) as revoked', [
        membershipId,
      ]);
      const revoked = row?.revoked ?? 0;
      const detail = { sessions_revoked: revoked };
      await auditStep(tx, { actor, action: 'session.revoke', target: membershipId, detail });
      return revoked;
    });
  }

  /** Newest first, revoked ones included. */
  listTokens(
    organizationId: string,
    { membershipId, before, limit }: CredentialFilter,
  ): Promise<ListedPersonalToken[]> {
    return this.database.withTenant(organizationId, (tx) =>
      tx.query<ListedPersonalToken>('select * from svc_list_personal_tokens($1, $2, $3)', [
        membershipId,
        before,
        limit,
      ]),
    );
  }

  /** @throws SandgateError `not_found`, also for one that was revoked before */
  revokeToken(organizationId: string, { id, actor }: { id: string; actor: AuditActor }): Promise<void> {
    return this.database.withTenant(organizationId, async (tx) => {
      const live = { id, kind: 'pat', revoked_at: IsNull() } as const;
      if (!(await changeRow(tx, PersonalTokenEntity, live, { revoked_at: CLOCK }))) throw notFound('token');
      await auditStep(tx, { actor, action: 'token.revoke', target: id });
    });
  }
}
