import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer } from '@nestjs/core';
import { randomBytes } from 'node:crypto';
import { declaredRoutes, type DeclaredRoute } from '../../../src/api/http/declared-routes.js';
import { hashSecret } from '../../../src/core/access/secrets.js';
import { SCOPES } from '../../../src/domain/access/scopes.js';
import { RouteTable } from '../../../src/api/http/route-table.js';
import { startApi, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { requestOf, type Description, type RouteRequest } from '../../support/api/route-requests.js';
import { plantResources, type PlantedResources } from '../../support/database/plant-resources.js';

let api: TestApi;
let acme: TestOrganization;
let planted: PlantedResources;
let description: Description;
/** Every route that needs a token. */
let routes: DeclaredRoute[];

beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '100000', DOCSVC_RATE_SEARCHES_PER_MIN: '100000' });
  acme = await api.organization();
  planted = await plantResources(api.database.owner, acme.orgId, acme.clientRowId);
  description = (await api.ask<Description>('/api/openapi.json')).body;
  routes = declaredRoutes(api.app.get(ModulesContainer)).filter(({ admittance }) => admittance.by === 'scope');
});
afterAll(() => api.close());

/** What came of sending every request: the names of those that were answered otherwise. */
async function othersThan(
  expected: (request: RouteRequest) => object,
  token: string | undefined,
  which: readonly DeclaredRoute[] = routes,
): Promise<object[]> {
  const others: object[] = [];
  for (const route of which) {
    const request = requestOf(route, { ...planted, clients: acme.clientRowId }, description);
    const answer = await api.ask(request.path, { ...request, ...(token === undefined ? {} : { token }) });
    const { status, body } = answer;
    try {
      expect({ status, body }).toMatchObject(expected(request));
    } catch {
      others.push({ request: request.name, status, body });
    }
  }
  return others;
}

/** Requests of which the answer tells what others have from what nobody has. */
async function telling(token: string, which: readonly DeclaredRoute[]): Promise<object[]> {
  const told: object[] = [];
  for (const route of which) {
    const [there, unknown] = [{ ...planted, clients: acme.clientRowId }, {}].map((ids) =>
      requestOf(route, ids, description),
    );
    const said: string[] = [];
    for (const request of [there, unknown]) {
      const { body } = await api.ask<{ error: { message: string } }>(request?.path ?? '', { ...request, token });
      said.push(body.error.message);
    }
    if (said[0] !== said[1]) told.push({ request: there?.name, said });
  }
  return told;
}

const refused = (status: number, code: string) => () => ({ status, body: { error: { code } } });

describe('who may call', () => {
  it('DI-060 every handler declares its scope, or that it is public and why', () => {
    const declared = declaredRoutes(api.app.get(ModulesContainer));
    expect(declared.filter(({ admittance }) => admittance.by === 'nothing')).toEqual([]);
    const served = api.app
      .get(RouteTable)
      .names()
      .filter((name) => !/^(HEAD|OPTIONS) /.test(name));
    expect(declared.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(served);
    expect(declared.filter(({ admittance }) => admittance.by === 'public').map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/health', '/api/health/ready', '/api/openapi.json', '/oauth/token']),
    );
  });

  it('DI-054 every route refuses a call without a token, and one with a token that is unknown', async () => {
    expect(await othersThan(refused(401, 'unauthenticated'), undefined)).toEqual([]);
    expect(await othersThan(refused(401, 'unauthenticated'), 'docsvc_at_nobody')).toEqual([]);
    expect((await api.ask('/api/me')).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('DI-054 every route refuses a token that has expired or was revoked, whose client has, or whose client is revoked', async () => {
    const plant = async (column: string): Promise<string> => {
      const token = `docsvc_at_${randomBytes(8).toString('hex')}`;
      const { id } = await acme.client([...SCOPES]);
      const expiry = column === 'expires_at' ? `now() - interval '1 s'` : `now() + interval '1 h'`;
      await api.database.owner.query(
        `insert into oauth_tokens (token_hash, org_id, client_row_id, scopes, expires_at, revoked_at)
         values ($1, $2, $3, $4, ${expiry}, ${column === 'revoked_at' ? 'now()' : 'null'})`,
        [hashSecret(token), acme.orgId, id, SCOPES],
      );
      if (column === 'client') await acme.ask(`/api/clients/${id}`, { method: 'DELETE' });
      if (column === 'client expiry')
        await api.database.owner.query('update oauth_clients set expires_at = now() where id = $1', [id]);
      return token;
    };
    expect(await othersThan(refused(401, 'token_expired'), await plant('expires_at'))).toEqual([]);
    expect(await othersThan(refused(401, 'token_expired'), await plant('client expiry'), routes.slice(0, 1))).toEqual(
      [],
    );
    expect(await othersThan(refused(401, 'unauthenticated'), await plant('revoked_at'))).toEqual([]);
    expect(await othersThan(refused(401, 'unauthenticated'), await plant('client'), routes.slice(0, 1))).toEqual([]);
  });

  it('DI-060 a route that needs a scope answers 403 without it, names it, and says so in the challenge', async () => {
    for (const scope of SCOPES) {
      const needing = routes.filter(({ admittance }) => admittance.by === 'scope' && admittance.scope === scope);
      if (needing.length === 0) continue;
      const { token } = await acme.client(SCOPES.filter((one) => one !== scope));
      const expected = () => ({
        status: 403,
        body: { error: { code: 'insufficient_scope', message: expect.stringContaining(scope) } },
      });
      expect(await othersThan(expected, token, needing)).toEqual([]);
    }
    const { token } = await acme.client(['search:read']);
    expect((await api.ask('/api/projects', { token })).headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="projects:read"',
    );
  });

  it('ids of another organization are not found, at every route', async () => {
    const other = await api.organization('Other');
    const withId = routes.filter(({ path }) => path.includes(':id'));
    expect(withId.length).toBeGreaterThan(6);
    expect(await othersThan(refused(404, 'not_found'), other.token, withId)).toEqual([]);
    expect(await telling(other.token, withId)).toEqual([]);
  });

  it('DI-060 ids that a credential is not listed for are not found, at every route', async () => {
    const elsewhere = await plantResources(api.database.owner, acme.orgId, acme.clientRowId);
    const ofProjects = routes.filter(({ path }) => path.includes(':id') && !path.startsWith('/api/clients'));
    const forProject = await acme.client([...SCOPES], { projectIds: [elsewhere.projects] });
    expect(await othersThan(refused(404, 'not_found'), forProject.token, ofProjects)).toEqual([]);
    expect(await telling(forProject.token, ofProjects)).toEqual([]);
    const forWorkspace = await acme.client([...SCOPES], { workspaceIds: [elsewhere.workspaces] });
    expect(await othersThan(refused(404, 'not_found'), forWorkspace.token, ofProjects)).toEqual([]);
    const projects = await api.ask<{ data: { id: string }[] }>('/api/projects', { token: forProject.token });
    expect(projects.body.data.map(({ id }) => id)).toEqual([elsewhere.projects]);
    const workspaces = await api.ask<{ data: { id: string }[] }>('/api/workspaces', { token: forProject.token });
    expect(workspaces.body.data.map(({ id }) => id)).toEqual([elsewhere.workspaces]);
  });

  it('an id that is no id is not found, at every route', async () => {
    const others: string[] = [];
    for (const route of routes.filter(({ path }) => path.includes(':id'))) {
      const { body, ...request } = requestOf(route, {}, description);
      const path = route.path.replace(':id', "1'--").replace(/:\w+/g, '1');
      const answer = await acme.ask(path, { ...request, ...(body === undefined ? {} : { body }) });
      if (answer.status !== 404) others.push(`${request.name} ${answer.status}`);
    }
    expect(others).toEqual([]);
  });

  it('no failure of these requests was one of ours', () => {
    expect(api.log.filter((line) => line.includes('request failed'))).toEqual([]);
  });
});
