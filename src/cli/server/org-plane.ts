import type { Schemas } from '../../client/client.js';
import type { Role } from '../../domain/identity/role.js';
import { isUuid } from '../../domain/uuid.js';
import { inline } from '../terminal/escape.js';
import { isLongPart, onlyMatch } from './only-match.js';
import type { SandgateClient } from './sandgate-client.js';
import type { AuditEntry, Member, Membership, WebSession } from './wire.js';

/** What of the log is asked for. */
export interface AuditQuery {
  limit: number;
  before?: string;
  action?: string;
  success?: boolean;
}

const PAGE = 1000;

/** An organization's members and what they hold, as its own people reach them, or as the operator does. */
export interface OrgPlane {
  members(query: { email?: string; after?: string; limit: number }): Promise<Member[]>;
  setRoles(member: string, roles: Role[]): Promise<Membership>;
  move(member: string, to: 'deactivate' | 'reactivate'): Promise<Membership>;
  webSessions(query: { member?: string; before?: string; limit: number }): Promise<WebSession[]>;
  revokeWebSession(id: string): Promise<void>;
  /** @param member everybody's without one */
  revokeWebSessions(member?: string): Promise<number>;
}

export function ownPlane(client: SandgateClient): OrgPlane {
  return {
    members: async (query) => (await client.call((api) => api.GET('/v1/org/members', { params: { query } }))).members,
    setRoles: async (id, roles) => {
      const send = { params: { path: { id } }, body: { roles } };
      return (await client.call((api) => api.POST('/v1/org/members/{id}/roles', send))).membership;
    },
    move: async (id, to) => {
      const send = { params: { path: { id } } };
      const asked =
        to === 'deactivate'
          ? client.call((api) => api.POST('/v1/org/members/{id}/deactivate', send))
          : client.call((api) => api.POST('/v1/org/members/{id}/reactivate', send));
      return (await asked).membership;
    },
    webSessions: async (query) =>
      (await client.call((api) => api.GET('/v1/org/web-sessions', { params: { query } }))).web_sessions,
    revokeWebSession: async (id) => {
      await client.call((api) => api.DELETE('/v1/org/web-sessions/{id}', { params: { path: { id } } }));
    },
    revokeWebSessions: async (member) => {
      const body = bodyOf(member);
      return (await client.call((api) => api.POST('/v1/org/web-sessions/revoke', { body }))).sessions_revoked;
    },
  };
}

export function adminPlane(client: SandgateClient, slug: string): OrgPlane {
  const base = '/v1/admin/orgs/{slug}';
  return {
    members: async (query) => {
      const send = { params: { path: { slug }, query } };
      return (await client.call((api) => api.GET(`${base}/members`, send))).members;
    },
    setRoles: async (id, roles) => {
      const send = { params: { path: { slug, id } }, body: { roles } };
      return (await client.call((api) => api.POST(`${base}/members/{id}/roles`, send))).membership;
    },
    move: async (id, to) => {
      const send = { params: { path: { slug, id } } };
      const asked =
        to === 'deactivate'
          ? client.call((api) => api.POST(`${base}/members/{id}/deactivate`, send))
          : client.call((api) => api.POST(`${base}/members/{id}/reactivate`, send));
      return (await asked).membership;
    },
    webSessions: async (query) => {
      const send = { params: { path: { slug }, query } };
      return (await client.call((api) => api.GET(`${base}/web-sessions`, send))).web_sessions;
    },
    revokeWebSession: async (id) => {
      await client.call((api) => api.DELETE(`${base}/web-sessions/{id}`, { params: { path: { slug, id } } }));
    },
    revokeWebSessions: async (member) => {
      const send = { params: { path: { slug } }, body: bodyOf(member) };
      return (await client.call((api) => api.POST(`${base}/web-sessions/revoke`, send))).sessions_revoked;
    },
  };
}

function bodyOf(member: string | undefined): Schemas['RevokeWebSessions'] {
  return member === undefined ? {} : { membership_id: member };
}

/** Everybody, page by page. */
export async function allMembers(plane: OrgPlane): Promise<Member[]> {
  const found: Member[] = [];
  for (let page = await plane.members({ limit: PAGE }); ;) {
    found.push(...page);
    const after = page.length === PAGE ? page.at(-1)?.membership_id : undefined;
    if (after === undefined) return found;
    page = await plane.members({ limit: PAGE, after });
  }
}

/**
 * The id of a membership by an e-mail address, its id, or the beginning or end of one. Of several with one address the active one.
 *
 * @throws CliError `not_found`, or `usage` when it names several
 */
export async function findMember(plane: OrgPlane, key: string): Promise<string> {
  if (isUuid(key)) return key.toLowerCase();
  const found = key.includes('@')
    ? await plane.members({ email: key, limit: PAGE })
    : (await allMembers(plane)).filter(({ membership_id: id }) => isLongPart(id, key));
  const active = found.filter(({ membership_status: status }) => status === 'active');
  return onlyMatch(active.length === 1 ? active : found, {
    none: `no member has the address or id ${inline(key)}`,
    several: `${found.length} members are called ${inline(key)}; give the membership's id`,
  }).membership_id;
}

/** The log of the own organization. */
export async function listOwnAudit(client: SandgateClient, query: AuditQuery): Promise<AuditEntry[]> {
  return (await client.call((api) => api.GET('/v1/org/audit', { params: { query } }))).entries;
}

/** The log of the deployment, or of one organization. */
export async function listAdminAudit(
  client: SandgateClient,
  query: AuditQuery & { org?: string },
): Promise<AuditEntry[]> {
  return (await client.call((api) => api.GET('/v1/admin/audit', { params: { query } }))).entries;
}
