import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Caller } from '../../../src/core/access/caller.js';
import { SCOPES, type Scope } from '../../../src/domain/access/scopes.js';

/** An organization with one workspace, one project in it, and a client that may do everything. */
export interface PlantedOrganization {
  orgId: string;
  workspaceId: string;
  projectId: string;
  caller: Caller;
}

/** Rows by the owner of the database, for specs of what comes after them. The client has no secret and cannot ask for a token. */
export async function plantOrganization(owner: pg.Pool, name: string = 'Acme'): Promise<PlantedOrganization> {
  const orgId = randomUUID();
  await owner.query('insert into orgs (id, name, signing_salt) values ($1, $2, $3)', [orgId, name, randomBytes(32)]);
  const workspaceId = await plantWorkspace(owner, orgId);
  const projectId = await plantProject(owner, { orgId, workspaceId });
  return { orgId, workspaceId, projectId, caller: await plantClient(owner, orgId) };
}

/** @returns its id */
export async function plantWorkspace(owner: pg.Pool, orgId: string): Promise<string> {
  const id = randomUUID();
  await owner.query('insert into workspaces (id, org_id, name, slug) values ($1, $2, $3, $4)', [
    id,
    orgId,
    'Workspace',
    `w-${id.slice(0, 8)}`,
  ]);
  return id;
}

/** @returns its id */
export async function plantProject(
  owner: pg.Pool,
  { orgId, workspaceId }: { orgId: string; workspaceId: string },
  settings: object = {},
): Promise<string> {
  const id = randomUUID();
  await owner.query('insert into projects (id, org_id, workspace_id, name, settings) values ($1, $2, $3, $4, $5)', [
    id,
    orgId,
    workspaceId,
    `Project ${id.slice(0, 8)}`,
    JSON.stringify(settings),
  ]);
  return id;
}

/** A client of the organization, with the scopes and lists that are given; without lists it may use all of it. */
export async function plantClient(
  owner: pg.Pool,
  orgId: string,
  {
    scopes = [...SCOPES],
    workspaceIds = null,
    projectIds = null,
  }: { scopes?: Scope[]; workspaceIds?: string[] | null; projectIds?: string[] | null } = {},
): Promise<Caller> {
  const clientId = randomUUID();
  const clientName = `client ${clientId.slice(0, 8)}`;
  await owner.query(
    `insert into oauth_clients (id, org_id, client_id, name, secret_hashes, scopes, workspace_ids, project_ids)
     values ($1, $2, $3, $4, '{}', $5, $6, $7)`,
    [clientId, orgId, `planted_${clientId}`, clientName, scopes, workspaceIds, projectIds],
  );
  const { rows } = await owner.query<{ signing_salt: Buffer }>('select signing_salt from orgs where id = $1', [orgId]);
  const signingSalt = rows[0]?.signing_salt ?? Buffer.alloc(0);
  return { orgId, clientId, clientName, scopes, workspaceIds, projectIds, signingSalt, requestId: 'planted' };
}
