import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteTable } from '../../../src/api/http/route-table.js';
import { AccessTokens } from '../../../src/core/oauth/access-tokens.js';
import type { Answer, TestApi } from '../../support/api/api.js';
import { connectionIn, startConnectionsApi, type Connection } from '../../support/connections/connections-api.js';
import { HostileServer } from '../../support/mcp/hostile-server.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import type { TestUser } from '../../support/api/users.js';

const NOBODYS = '01900000-0000-7000-8000-000000000000';

let api: TestApi;
let server: HostileServer;
let owner: TestUser;
let colleague: TestUser;
let administrator: TestUser;
let stranger: TestUser;
let personal: Connection;
let shared: Connection;
beforeAll(async () => {
  [api, server] = await Promise.all([startConnectionsApi(), HostileServer.start()]);
  [owner, colleague] = [await api.addUser('member'), await api.addUser('approver')];
  administrator = await api.addUser('admin', 'owner');
  stranger = await api.users.add(api.db, (await createOrganization(api.db)).organizationId, 'owner');
  const body = { provider: 'mcp_http', base_url: server.url, token: 'a-token-of-somebody' };
  personal = connectionIn(await api.post('/v1/connections', { ...body, owner: 'personal' }, owner));
  shared = connectionIn(await api.post('/v1/connections', body));
});
afterAll(async () => {
  await api.close();
  await server.close();
});

/** Every route that names a connection: those that read it, then those that change it. */
const ROUTES = [
  'GET /v1/connections/:id',
  'GET /v1/connections/:id/deliveries',
  'GET /v1/connections/:id/refs',
  'GET /v1/connections/:id/tools',
  'GET /v1/connections/:id/repos',
  'POST /v1/connections/:id/tools/refresh',
  'POST /v1/connections/:id/oauth/start',
  'POST /v1/connections/:id/approve',
  'POST /v1/connections/:id/revoke',
];

/** What each of them answers to this caller. */
async function everyRoute(id: string, caller: { token?: string }): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.replace(':id', id).split(' ');
    const query = path.endsWith('/refs') ? '?repository=acme/shop' : '';
    answers.push(await api.call(method, `${path}${query}`, { ...caller, ...(method === 'POST' ? { body: {} } : {}) }));
  }
  return answers;
}

async function visible(caller: { token?: string }): Promise<string[]> {
  const { body } = await api.get('/v1/connections', caller);
  return (body as unknown as { connections: Connection[] }).connections.map(({ id }) => id);
}

describe('who sees a connection', () => {
  it('CP-247 the organization its own, newest first; the owner also the personal one, and nobody else', async () => {
    expect(await visible(owner)).toEqual([shared.id, personal.id]);
    for (const caller of [colleague, administrator, {}]) expect(await visible(caller)).toEqual([shared.id]);
    expect(await visible(stranger)).toEqual([]);
    expect((await api.get('/v1/connections', { token: null })).status).toBe(401);
  });

  it('CP-257 a personal connection is 404 on every route for everybody but its owner, as if it did not exist', async () => {
    const known = api.app.get(RouteTable).names();
    expect(known.filter((route) => /^(?!HEAD).* \/v1\/connections\/:/.test(route))).toEqual([...ROUTES].sort());
    for (const caller of [colleague, administrator, {}]) {
      const foreign = await everyRoute(personal.id, caller);
      const missing = await everyRoute(NOBODYS, caller);
      expect(foreign.map(({ status }) => status)).toEqual(foreign.map(() => 404));
      expect(foreign.map(({ text }) => text)).toEqual(missing.map(({ text }) => text));
    }
    expect((await api.get(`/v1/connections/${personal.id}`, owner)).body).toMatchObject({ status: 'active' });
  });

  it('another organization sees none of it, and a malformed id is none', async () => {
    for (const id of [shared.id, personal.id]) {
      expect((await everyRoute(id, stranger)).map(({ status }) => status)).toEqual(ROUTES.map(() => 404));
    }
    expect((await everyRoute('nonsense', {})).map(({ status }) => status)).toEqual(ROUTES.map(() => 404));
  });

  it('CP-249 CP-250 CP-251 members read what is the organization’s and change nothing of it', async () => {
    for (const caller of [owner, colleague]) {
      expect((await everyRoute(shared.id, caller)).map(({ status }) => status)).toEqual([
        200, 200, 400, 200, 400, 403, 403, 403, 403,
      ]);
    }
    const anonymous = await api.post(`/v1/connections/${shared.id}/revoke`, {}, { token: null });
    expect(anonymous.status).toBe(401);
    expect((await api.get(`/v1/connections/${shared.id}`)).body.status).toBe('active');
  });
});

describe('approve and revoke', () => {
  it('CP-250 approving an active connection answers it unchanged, and nothing else is to approve', async () => {
    const answer = await api.post(`/v1/connections/${shared.id}/approve`, {}, administrator);
    expect([answer.status, answer.body]).toEqual([200, (await api.get(`/v1/connections/${shared.id}`)).body]);
    const pending = connectionIn(
      await api.post('/v1/connections', {
        provider: 'mcp_http',
        base_url: 'https://mcp.example.com/',
        auth_kind: 'oauth',
      }),
    );
    const refused = await api.post(`/v1/connections/${pending.id}/approve`);
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('code-host app')]);
  });

  it('CP-123 CP-251 revoking ends any live status, keeps the generation, and a second one answers the same row', async () => {
    const body = { provider: 'mcp_http', base_url: server.url, token: 'a-token-of-somebody' };
    const active = connectionIn(await api.post('/v1/connections', body));
    const pending = connectionIn(await api.post('/v1/connections', { ...body, token: undefined, auth_kind: 'oauth' }));
    for (const { id } of [active, pending]) {
      const first = await api.post(`/v1/connections/${id}/revoke`);
      expect([first.status, first.body]).toEqual([
        200,
        expect.objectContaining({ id, status: 'revoked', authorization_generation: 1 }),
      ]);
      const second = await api.post(`/v1/connections/${id}/revoke`);
      expect([second.status, second.body]).toEqual([200, first.body]);
      const refresh = await api.post(`/v1/connections/${id}/tools/refresh`);
      expect([refresh.status, refresh.body.error]).toEqual([409, expect.stringContaining('revoked')]);
    }
  });

  it('CP-257 a run cannot be bound to a personal connection by anybody but its owner, as if it did not exist', async () => {
    const requirement = {
      slot: 'kb',
      connector: { url: server.url },
      required_tools: ['echo'],
      binding_mode: 'invoking_user',
    };
    await api.post('/v1/agents', { name: 'bound', harness: 'replay', connection_requirements: [requirement] });
    const start = (id: string, caller: { token?: string }): Promise<Answer> =>
      api.post('/v1/sessions', { agent: 'bound', task: 't', bindings: { kb: id } }, caller);
    for (const caller of [colleague, administrator]) {
      const [foreign, missing] = [await start(personal.id, caller), await start(NOBODYS, caller)];
      expect([foreign.status, foreign.text.replace(personal.id, NOBODYS)]).toEqual([400, missing.text]);
    }
    expect((await start(personal.id, owner)).status).toBe(200);
  });

  it('CP-257 the owner of a personal connection revokes it without any role', async () => {
    const answer = await api.post(`/v1/connections/${personal.id}/revoke`, {}, owner);
    expect([answer.status, answer.body.status]).toEqual([200, 'revoked']);
  });

  it('CP-156 revoking empties what this process holds of the connection', async () => {
    const tokens = api.app.get(AccessTokens);
    const body = { provider: 'mcp_http', base_url: server.url, auth_kind: 'oauth' };
    const { id } = connectionIn(await api.post('/v1/connections', body));
    tokens.remember(id, 1, { token: 'held', expiresAtMs: Date.now() + 3_600_000 });
    expect(await tokens.get(api.organizationId, id, 1)).toBe('held');
    expect((await api.post(`/v1/connections/${id}/revoke`)).status).toBe(200);
    await expect(tokens.get(api.organizationId, id, 1)).rejects.toMatchObject({ code: 'conflict' });
  });
});
