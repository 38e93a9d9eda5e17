import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import type { RunSpec, WorkspaceSpec } from '../../../src/domain/run/spec.js';
import { Codehost } from '../../../src/core/codehost/codehost.js';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import { CodeHost } from '../../support/codehost/code-host.js';
import { RestApi, type HostedApp } from '../../support/codehost/rest-api.js';
import {
  connectionIn,
  startConnectionsApi,
  type CreatedConnection,
} from '../../support/connections/connections-api.js';
import type { TestApi } from '../../support/api/api.js';
import { deactivate, type TestUser } from '../../support/api/users.js';

type GitRepository = Extract<WorkspaceSpec, { kind: 'git_repository' }>;

const TOKEN = 'ghp_personal0123456789';

let host: CodeHost;
let rest: RestApi;
let app: HostedApp;
let api: TestApi;
let admin: TestUser;
let member: TestUser;
let mcp: string;
beforeAll(async () => {
  host = await CodeHost.start({ names: ['code.test'] });
  rest = new RestApi(host.tokens);
  host.interfere = [rest.serve];
  rest.addAccount(TOKEN, { id: 4711, login: 'octo', scopes: 'repo, read:org' });
  app = rest.addApp(99, 'sandgate-acme', {
    '501': { login: 'acme', suspended: false },
    '502': { login: 'acme', suspended: true },
    '503': { login: 'acme', suspended: false },
    '504': { login: 'acme', suspended: false },
  });
  api = await startConnectionsApi({
    SERVICE_CODEHOST_API_URL: `${host.url()}/api`,
    SERVICE_CODEHOST_CLONE_BASE: host.url(),
    SERVICE_CODEHOST_CA: host.certificate,
  });
  [admin, member] = [await api.addUser('admin'), await api.addUser('member')];
  mcp = await insertMcp();
});
afterAll(async () => {
  await api?.close();
  await host?.stop();
});
beforeEach(() => {
  host.requests.length = 0;
  rest.failWith = null;
  rest.tokenLifeMs = 60 * 60 * 1000;
});

const as = (user: TestUser) => ({ token: user.token });
const create = (body: object, user: TestUser = admin) => api.post('/v1/connections', body, as(user));
const appBody = (more: object = {}) => ({
  provider: 'codehost_app',
  app_id: '99',
  installation_id: '501',
  private_key: app.privateKey,
  webhook_secret: 'whsec-canary',
  ...more,
});
const count = async () => {
  const { rowCount } = await api.database.owner.query('select from integration_connections');
  return rowCount;
};

/** A connection that has nothing to do with the code host. */
async function insertMcp(): Promise<string> {
  const id = uuidv7();
  await api.database.owner.query(
    `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind, owner_type)
     values ($1, $2, 'mcp_http', 'mcp.test', 'mail', 'active', 'static', 'organization')`,
    [id, api.organizationId],
  );
  return id;
}

describe('a personal token of the code host', () => {
  it('CP-117 CP-118 CP-289 is shown to GET /user before it is stored, rests sealed and is in no answer', async () => {
    const answer = await create({ provider: 'codehost', token: ` ${TOKEN} ` });
    const connection = connectionIn(answer);
    expect(connection).toMatchObject({
      provider: 'codehost',
      external_account_id: '4711',
      display_name: 'octo',
      granted_scopes: ['repo', 'read:org'],
      status: 'active',
      metadata: { login: 'octo' },
      auth_kind: 'static',
      owner: 'organization',
      base_url: null,
    });
    expect(host.requests.map(({ method, url }) => [method, url])).toEqual([['GET', '/api/user']]);
    const listed = await api.get('/v1/connections', as(member));
    expect(listed.text).toContain(connection.id);
    expect(answer.text + listed.text).not.toContain(TOKEN);
    const { rows } = await api.database.owner.query<{ row: string; sealed: Buffer }>(
      `select c::text as row, credential_sealed as sealed from integration_connections c where id = $1`,
      [connection.id],
    );
    expect(rows[0]?.row).not.toContain(TOKEN);
    expect(rows[0]?.row).not.toContain(Buffer.from(TOKEN).toString('hex'));
    expect(rows[0]?.sealed.length).toBeGreaterThan(TOKEN.length);
  });

  it('CP-122 belongs to a person who asks for it, and the name of before is taken', async () => {
    const mine = connectionIn(
      await create({ provider: 'github', token: TOKEN, owner: 'personal', display_name: 'mine' }, member),
    );
    expect(mine).toMatchObject({ provider: 'codehost', owner: 'personal', display_name: 'mine' });
    expect((await api.get(`/v1/connections/${mine.id}/repos`, as(admin))).status).toBe(404);
    expect((await api.get(`/v1/connections/${mine.id}/repos`, as(member))).status).toBe(200);
  });

  it.each([
    ['one that the host rejects', { token: 'ghp_wrong' }, 400, 'token: the code host rejected this token'],
    ['an empty one', { token: '  ' }, 400, 'token: must not be empty'],
    ['none', {}, 400, 'token: is required'],
    ['one beside the key of an app', { token: TOKEN, private_key: 'x' }, 400, 'private_key: is of codehost_app'],
  ])('%s is refused and nothing of it remains', async (_what, more, status, reason) => {
    const before = await count();
    const answer = await create({ provider: 'codehost', ...more });
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(reason)]);
    expect(await count()).toBe(before);
  });

  it('that cannot stand in a header is refused without asking the host', async () => {
    for (const token of [`${TOKEN}\nx`, `${TOKEN}é`, 'a\u0000b']) {
      const answer = await create({ provider: 'codehost', token });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^token: must /)]);
    }
    expect(host.requests).toHaveLength(0);
  });

  it('a host that fails is told apart from a bad token, in words of ours; who may not create does not reach it', async () => {
    rest.failWith = 500;
    const answer = await create({ provider: 'codehost', token: TOKEN });
    expect([answer.status, answer.body.error]).toEqual([502, 'the code host answered 500; try again later']);
    expect((await create({ provider: 'codehost', token: TOKEN }, member)).status).toBe(403);
    expect(host.requests).toHaveLength(1);
  });
});

describe('an installation of an app', () => {
  it('CP-117 is proved by the key of its app, and its secrets are in no answer', async () => {
    const answer = await create(appBody({ app_id: 99 }));
    const connection = connectionIn(answer);
    expect(connection).toMatchObject({
      provider: 'codehost_app',
      external_account_id: '501',
      display_name: 'sandgate-acme → acme',
      status: 'active',
      owner: 'organization',
      ingress_path: `/v1/ingress/codehost/${connection.id}`,
      metadata: { app_id: '99', installation_id: '501', app_slug: 'sandgate-acme', account_login: 'acme' },
    });
    expect(answer.text).not.toMatch(/PRIVATE KEY|whsec-canary/);
    const again = await create(appBody());
    expect([again.status, again.body.error]).toEqual([409, 'installation_id: this installation is connected already']);
  });

  it.each([
    [
      'another key',
      () => ({ private_key: otherKey(2048) }),
      'private_key: the code host rejected this app_id with this key',
    ],
    ['another app', () => ({ app_id: '98' }), 'private_key: the code host rejected'],
    [
      'a weak key',
      () => ({ private_key: otherKey(1024) }),
      'private_key must be an RSA private key of at least 2048 bits',
    ],
    ['what is no key', () => ({ private_key: 'canary-no-key' }), 'private_key must be an RSA private key'],
    ['an unknown installation', () => ({ installation_id: '777' }), 'has no installation 777'],
    ['a suspended installation', () => ({ installation_id: '502' }), 'it is suspended at the code host'],
    [
      'an id that is no number',
      () => ({ installation_id: '../app' }),
      'installation_id: is required and must be a number',
    ],
    ['no webhook secret', () => ({ webhook_secret: '' }), 'webhook_secret: is required'],
    ['a token', () => ({ token: TOKEN }), 'token: is of codehost and mcp_http'],
    ['a person', () => ({ owner: 'personal' }), 'owner: an installation of an app belongs to the organization'],
  ])('%s is refused and nothing of it remains', async (_what, more, reason) => {
    const before = await count();
    const answer = await create(appBody({ installation_id: '503', ...more() }));
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect(answer.text).not.toContain('canary');
    expect(await count()).toBe(before);
  });
});

describe('the repositories of a connection', () => {
  it('are listed a page at a time, by the token of the account or one that is minted for the installation', async () => {
    const token = connectionIn(await create({ provider: 'codehost', token: TOKEN }));
    const list = async (id: string, query = '') =>
      (await api.get(`/v1/connections/${id}/repos${query}`, as(member))).body as unknown as Schemas['RepositoryList'];
    const first = await list(token.id);
    expect(first.repositories).toEqual(first.repos);
    expect(first.repos).toEqual([
      {
        id: '1001',
        full_name: 'acme/page-1-of-50',
        private: true,
        default_branch: 'main',
        html_url: 'https://code.test/acme/x',
        updated_at: '2026-01-01T00:00:00Z',
        pushed_at: null,
      },
    ]);
    expect((await list(token.id, '?page=3&per_page=1000')).repos[0]?.full_name).toBe('acme/page-3-of-100');
    expect((await api.get(`/v1/connections/${token.id}/repos?page=0`, as(member))).status).toBe(400);
    const installed = connectionIn(await create(appBody({ installation_id: '503' })));
    const minted = rest.minted;
    await list(installed.id);
    expect((await list(installed.id, '?page=2')).repos[0]?.full_name).toBe('acme/page-2-of-50');
    expect(rest.minted).toBe(minted + 1);
  });

  it('a minted token is used while it has five minutes left, and not after a revoke', async () => {
    rest.tokenLifeMs = 4 * 60 * 1000;
    const { id } = connectionIn(await create(appBody({ installation_id: '504' })));
    const minted = rest.minted;
    for (let i = 0; i < 2; i++) expect((await api.get(`/v1/connections/${id}/repos`)).status).toBe(200);
    expect(rest.minted).toBe(minted + 2);
    await api.post(`/v1/connections/${id}/revoke`, undefined, as(admin));
    const after = await api.get(`/v1/connections/${id}/repos`);
    expect([after.status, after.body.error]).toEqual([409, 'the connection is revoked — reconnect it']);
    expect(rest.minted).toBe(minted + 2);
  });

  it('CP-290 a connection of another kind never shows its credential to the code host', async () => {
    const answer = await api.get(`/v1/connections/${mcp}/repos`);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining('does not belong to a code host'),
    ]);
    expect(host.requests).toEqual([]);
    const { id } = connectionIn(await create({ provider: 'codehost', token: TOKEN }));
    rest.failWith = 503;
    const failing = await api.get(`/v1/connections/${id}/repos`);
    expect(failing.status).toBe(400);
    expect(failing.text).not.toContain('ghp_from-the-host');
  });
});

describe('what a run may use to fetch its repository', () => {
  const start = async (connection: string, user: TestUser = admin) => {
    const workspace = { kind: 'git_repository', repository: 'acme/shop', connection_id: connection, ref: 'main' };
    const answer = await api.post('/v1/sessions', { agent: 'fixer', task: '[]', workspace }, as(user));
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    const { id, run_spec: spec } = answer.body.session;
    return { id, workspace: (spec as unknown as RunSpec).workspace as GitRepository };
  };
  const header = (id: string, workspace: GitRepository) =>
    api.app
      .get(Codehost)
      .accessOf({ organizationId: api.organizationId, sessionId: id }, { workspace })
      .authorization();
  const basic = (token: string) => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

  it('CP-072 is the credential of the bound connection, for exactly what was bound', async () => {
    const { id: connection } = connectionIn(await create({ provider: 'codehost', token: TOKEN }));
    const { id, workspace } = await start(connection);
    expect(workspace).toMatchObject({ clone_url: `${host.url()}/acme/shop`, connection_id: connection });
    expect(await header(id, workspace)).toBe(basic(TOKEN));
    const others: Partial<GitRepository>[] = [
      { clone_url: `${host.url()}/acme/other` },
      { clone_url: 'https://evil.test/acme/shop' },
      { ref: 'other' },
      { commit_sha: 'a'.repeat(40) },
      { binding_id: uuidv7() },
    ];
    for (const other of others)
      await expect(header(id, { ...workspace, ...other })).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('not what the run was bound to') as unknown,
      });
    const publicRun = await api.post('/v1/sessions', {
      agent: 'fixer',
      task: '[]',
      workspace: { kind: 'git_repository', clone_url: `${host.url()}/acme/shop` },
    });
    const { id: open, run_spec: spec } = publicRun.body.session;
    expect(await header(open, (spec as unknown as RunSpec).workspace as GitRepository)).toBeNull();
  });

  it('CP-290 CP-314 is nothing once the connection was revoked or its person is gone', async () => {
    const { id: connection } = connectionIn(await create({ provider: 'codehost', token: TOKEN }));
    const { id, workspace } = await start(connection);
    await api.post(`/v1/connections/${connection}/revoke`, undefined, as(admin));
    await expect(header(id, workspace)).rejects.toThrow('is revoked — reconnect it');
    const leaving = await api.addUser('member');
    const mine = connectionIn(await create({ provider: 'codehost', token: TOKEN, owner: 'personal' }, leaving));
    const run = await start(mine.id, leaving);
    expect(await header(run.id, run.workspace)).toBe(basic(TOKEN));
    await deactivate(api.db, leaving, 'membership');
    await expect(header(run.id, run.workspace)).rejects.toThrow('no longer an active member');
  });

  it('a personal connection of somebody else, and one of another kind, are refused before the run exists', async () => {
    const { id: foreign } = connectionIn(
      await create({ provider: 'codehost', token: TOKEN, owner: 'personal' }, member),
    );
    for (const [connection, reason] of [
      [foreign, `unknown connection ${foreign}`],
      [mcp, 'is no connection to a code host'],
    ] as const) {
      const workspace = { kind: 'git_repository', repository: 'acme/shop', connection_id: connection };
      const answer = await api.post('/v1/sessions', { agent: 'fixer', task: '[]', workspace }, as(admin));
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    }
  });

  it('is a token that is minted for the installation of an app', async () => {
    app.installations.set('505', { login: 'acme', suspended: false });
    const { id: connection } = connectionIn(await create(appBody({ installation_id: '505' })));
    const { id, workspace } = await start(connection);
    expect(await header(id, workspace)).toBe(basic(`ghs_minted${rest.minted}`));
  });
});

describe('approving an installation that the code host told of', () => {
  let registration: string;
  beforeAll(async () => {
    registration = await register();
  });

  /** As the setup of an app and the webhook of its installation leave them. */
  async function register(): Promise<string> {
    const id = uuidv7();
    const place = { organizationId: api.organizationId, column: 'github_app_registrations.pem', row: id };
    const sealed = await api.app.get(Sealer).seal(place, app.privateKey);
    await api.database.owner.query(
      `insert into github_app_registrations (id, tenant_id, status, target_kind, app_id, slug, pem_sealed, pem_key_version)
       values ($1, $2, 'active', 'organization', '99', 'sandgate-acme', $3, $4)`,
      [id, api.organizationId, sealed.bytes, sealed.keyVersion],
    );
    return id;
  }

  async function told(installation: string, status = 'pending'): Promise<string> {
    const id = uuidv7();
    await api.database.owner.query(
      `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind,
         owner_type, registration_id) values ($1, $2, 'codehost_app', $3, 'told', $4, 'static', 'organization', $5)`,
      [id, api.organizationId, installation, status, registration],
    );
    return id;
  }

  const approve = async (id: string, user: TestUser = admin) => {
    const answer = await api.post(`/v1/connections/${id}/approve`, undefined, as(user));
    return { status: answer.status, error: answer.body.error, connection: answer.body as unknown as CreatedConnection };
  };

  it('asks the host again and moves pending, error, suspended and revoked to active, under the same id and generation', async () => {
    app.installations.set('601', { login: 'acme', suspended: false });
    const id = await told('601');
    expect((await api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
    expect((await approve(id, member)).status).toBe(403);
    expect((await approve(id)).connection).toMatchObject({ id, status: 'active', authorization_generation: 1 });
    expect((await api.get(`/v1/connections/${id}/repos`)).status).toBe(200);
    const asked = host.requests.length;
    expect(await approve(id)).toMatchObject({ status: 200, connection: { status: 'active' } });
    expect(host.requests).toHaveLength(asked);
    for (const status of ['error', 'suspended', 'revoked']) {
      await api.database.owner.query('update integration_connections set status = $2 where id = $1', [id, status]);
      expect((await approve(id)).connection).toMatchObject({ id, status: 'active', authorization_generation: 1 });
    }
    app.installations.set('601', { login: 'acme', suspended: true });
    await api.post(`/v1/connections/${id}/revoke`, undefined, as(admin));
    expect((await approve(id)).connection).toMatchObject({ id, status: 'suspended' });
  });

  it('CP-156 one that the host suspended is revoked like any other, and what was minted for it is used no more', async () => {
    app.installations.set('604', { login: 'acme', suspended: false });
    const id = await told('604');
    expect((await approve(id)).connection.status).toBe('active');
    expect((await api.get(`/v1/connections/${id}/repos`)).status).toBe(200);
    app.installations.set('604', { login: 'acme', suspended: true });
    await api.database.owner.query(`update integration_connections set status = 'error' where id = $1`, [id]);
    expect((await approve(id)).connection.status).toBe('suspended');
    const asked = host.requests.length;
    const answer = await api.post(`/v1/connections/${id}/revoke`, undefined, as(admin));
    expect([answer.status, answer.body.status]).toEqual([200, 'revoked']);
    expect((await api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
    expect(host.requests).toHaveLength(asked);
  });

  it('is refused for other kinds, for what the host does not confirm, and while its registration is not active', async () => {
    app.installations.set('602', { login: 'acme', suspended: false });
    const id = await told('602');
    const gone = await told('999');
    const pasted = connectionIn(await create({ provider: 'codehost', token: TOKEN }));
    await api.post(`/v1/connections/${pasted.id}/revoke`, undefined, as(admin));
    expect(await approve(pasted.id)).toMatchObject({ status: 400 });
    expect(await approve(uuidv7())).toMatchObject({ status: 404 });
    expect(await approve(gone)).toMatchObject({
      status: 409,
      error: expect.stringContaining('does not exist') as unknown,
    });
    rest.failWith = 500;
    expect(await approve(id)).toMatchObject({ status: 502 });
    rest.failWith = null;
    const other = await told('602', 'revoked');
    expect((await approve(id)).status).toBe(200);
    expect(await approve(other)).toMatchObject({
      status: 409,
      error: 'the installation is live on another connection',
    });
    await setRegistration('revoked');
    expect(await approve(other)).toMatchObject({
      status: 409,
      error: expect.stringContaining('not active') as unknown,
    });
    expect((await api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
    await setRegistration('active');
  });

  it('a registration that is revoked while the host is asked takes the connection with it', async () => {
    app.installations.set('603', { login: 'acme', suspended: false });
    const id = await told('603');
    host.interfere = [
      async (request, response) => {
        await setRegistration('revoked');
        return rest.serve(request, response);
      },
    ];
    expect(await approve(id)).toMatchObject({
      status: 409,
      error: expect.stringContaining('was revoked during') as unknown,
    });
    host.interfere = [rest.serve];
    await setRegistration('active');
    expect((await api.get(`/v1/connections/${id}`)).body.status).toBe('revoked');
  });

  const setRegistration = (status: string) =>
    api.database.owner.query('update github_app_registrations set status = $2 where id = $1', [registration, status]);
});

function otherKey(modulusLength: number): string {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}
