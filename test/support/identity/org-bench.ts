import { randomBytes } from 'node:crypto';
import type { Schemas } from '../../../src/client/client.js';
import type { Role } from '../../../src/domain/identity/role.js';
import { startApi, type Answer, type AnswerBody, type TestApi } from '../api/api.js';
import type { TestUser } from '../api/users.js';
import { publishProvider, type PublishedProvider } from './published-provider.js';

type Bodies = Schemas['OrgEnvelope'] &
  Schemas['OrgList'] &
  Schemas['IdpEnvelope'] &
  Schemas['IdpList'] &
  Schemas['MemberList'] &
  Schemas['MembershipEnvelope'] &
  Schemas['WebSessionList'] &
  Schemas['MemberTokenList'] &
  Schemas['AuthAuditList'] &
  Omit<Schemas['MigratedIdp'], 'status'> &
  Omit<Schemas['ArmedBreakGlass'], 'status'> &
  Schemas['RevokedWebSessions'] & { error: string; revoked: boolean };

/** An answer of the operator's plane or of the organization's own; a test reads the members of the route that it asked. */
export type OrgAnswer = Omit<Answer, 'body'> & { body: Bodies };

/** The API with a provider that can be staged, and organizations to make. */
export interface OrgBench {
  api: TestApi;
  provider: PublishedProvider;
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<OrgAnswer>;
  /** A new organization; its slug and id. */
  makeOrg(): Promise<{ slug: string; id: string; path: string }>;
  addMember(organizationId: string, ...roles: Role[]): Promise<TestUser>;
  /** Stages the provider and activates it. */
  activate(slug: string, more?: Record<string, unknown>): Promise<Schemas['Idp']>;
  close(): Promise<void>;
}

export async function startOrgBench(env: Record<string, string> = {}): Promise<OrgBench> {
  const provider = await publishProvider();
  const api = await startApi({ SERVICE_KMS_MODE: 'static', SERVICE_KMS_STATIC_KEK: 'ab'.repeat(32), ...env });
  const call = async (method: string, path: string, body?: unknown, token?: string | null): Promise<OrgAnswer> => {
    const sent = body === undefined ? {} : { body };
    const answer = await api.call(method, path, { ...sent, ...(token === undefined ? {} : { token }) });
    return { ...answer, body: answer.body as AnswerBody & Bodies };
  };
  return {
    api,
    provider,
    call,
    makeOrg: async () => {
      const slug = `org-${randomBytes(6).toString('hex')}`;
      const { body } = await call('POST', '/v1/admin/orgs', { slug });
      return { slug, id: body.org.id, path: `/v1/admin/orgs/${slug}` };
    },
    addMember: (organizationId, ...roles) => api.users.add(api.db, organizationId, ...roles),
    activate: async (slug, more) => {
      const staged = await call('POST', `/v1/admin/orgs/${slug}/idp`, provider.body(more));
      const { body } = await call('POST', `/v1/admin/orgs/${slug}/idp/${staged.body.idp.id}/activate`);
      return body.idp;
    },
    close: async () => {
      await api.close();
      await provider.close();
    },
  };
}

/** What the log says of an organization, oldest first: action, target, whether it was done. */
export async function auditOf({ api }: OrgBench, organizationId: string | null) {
  const { rows } = await api.database.owner.query<{
    action: string;
    target: string | null;
    success: boolean;
    actor_id: string;
    detail: Record<string, unknown>;
  }>(
    `select action, target, success, actor_id, detail from auth_audit_log
      where tenant_id is not distinct from $1 order by id`,
    [organizationId],
  );
  return rows;
}
