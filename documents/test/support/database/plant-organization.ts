import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Who a request comes from, as the guard of the API finds it. */
export interface PlantedCaller {
  orgId: string;
  clientId: string;
  clientName: string;
  scopes: string[];
  workspaceIds: string[] | null;
  projectIds: string[] | null;
}

/** An organization with one workspace, one project in it, and a client that may do everything. */
export interface PlantedOrganization {
  orgId: string;
  workspaceId: string;
  projectId: string;
  caller: PlantedCaller;
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
    scopes = ALL_SCOPES,
    workspaceIds = null,
    projectIds = null,
  }: { scopes?: string[]; workspaceIds?: string[] | null; projectIds?: string[] | null } = {},
): Promise<PlantedCaller> {
  const clientId = randomUUID();
  const clientName = `client ${clientId.slice(0, 8)}`;
  await owner.query(
    `insert into oauth_clients (id, org_id, client_id, name, secret_hashes, scopes, workspace_ids, project_ids)
     values ($1, $2, $3, $4, '{}', $5, $6, $7)`,
    [clientId, orgId, `planted_${clientId}`, clientName, scopes, workspaceIds, projectIds],
  );
  return { orgId, clientId, clientName, scopes, workspaceIds, projectIds };
}

const ALL_SCOPES = [
  ...['workspaces', 'projects', 'documents', 'webhooks'].flatMap((what) => [`${what}:read`, `${what}:write`]),
  'documents:delete',
  'search:read',
  'clients:manage',
  'audit:read',
];
