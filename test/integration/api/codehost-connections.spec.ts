import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import type { RunSpec, WorkspaceSpec } from '../../../src/domain/run/spec.js';
import { Codehost } from '../../../src/core/codehost/codehost.js';
import { connectionIn } from '../../support/connections/connections-api.js';
import { deactivate, type TestUser } from '../../support/api/users.js';
import { as, CodehostBench, TOKEN } from '../../support/codehost/codehost-bench.js';

type GitRepository = Extract<WorkspaceSpec, { kind: 'git_repository' }>;

let bench: CodehostBench;
let mcp: string;
beforeAll(async () => {
  bench = await CodehostBench.start();
  mcp = await bench.insertMcp();
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

describe('a personal token of the code host', () => {
  it('CP-117 CP-118 CP-289 is shown to GET /user before it is stored, rests sealed and is in no answer', async () => {
    const answer = await bench.create({ provider: 'codehost', token: ` ${TOKEN} ` });
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
    expect(bench.host.requests.map(({ method, url }) => [method, url])).toEqual([['GET', '/api/user']]);
    const listed = await bench.api.get('/v1/connections', as(bench.member));
    expect(listed.text).toContain(connection.id);
    expect(answer.text + listed.text).not.toContain(TOKEN);
    const { rows } = await bench.api.database.owner.query<{ row: string; sealed: Buffer }>(
      `select c::text as row, credential_sealed as sealed from integration_connections c where id = $1`,
      [connection.id],
    );
    expect(rows[0]?.row).not.toContain(TOKEN);
    expect(rows[0]?.row).not.toContain(Buffer.from(TOKEN).toString('hex'));
    expect(rows[0]?.sealed.length).toBeGreaterThan(TOKEN.length);
  });

  it('CP-122 belongs to a person who asks for it, and the name of before is taken', async () => {
    const mine = connectionIn(
      await bench.create({ provider: 'github', token: TOKEN, owner: 'personal', display_name: 'mine' }, bench.member),
    );
    expect(mine).toMatchObject({ provider: 'codehost', owner: 'personal', display_name: 'mine' });
    expect((await bench.api.get(`/v1/connections/${mine.id}/repos`, as(bench.admin))).status).toBe(404);
    expect((await bench.api.get(`/v1/connections/${mine.id}/repos`, as(bench.member))).status).toBe(200);
  });

  it.each([
    ['one that the host rejects', { token: 'ghp_wrong' }, 400, 'token: the code host rejected this token'],
    ['an empty one', { token: '  ' }, 400, 'token: must not be empty'],
    ['none', {}, 400, 'token: is required'],
    ['one beside the key of an app', { token: TOKEN, private_key: 'x' }, 400, 'private_key: is of codehost_app'],
  ])('%s is refused and nothing of it remains', async (_what, more, status, reason) => {
    const before = await bench.count();
    const answer = await bench.create({ provider: 'codehost', ...more });
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(reason)]);
    expect(await bench.count()).toBe(before);
  });

  it('that cannot stand in a header is refused without asking the host', async () => {
    for (const token of [`${TOKEN}\nx`, `${TOKEN}é`, 'a\u0000b']) {
      const answer = await bench.create({ provider: 'codehost', token });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^token: must /)]);
    }
    expect(bench.host.requests).toHaveLength(0);
  });

  it('a host that fails is told apart from a bad token, in words of ours; who may not create does not reach it', async () => {
    bench.rest.failWith = 500;
    const answer = await bench.create({ provider: 'codehost', token: TOKEN });
    expect([answer.status, answer.body.error]).toEqual([502, 'the code host answered 500; try again later']);
    expect((await bench.create({ provider: 'codehost', token: TOKEN }, bench.member)).status).toBe(403);
    expect(bench.host.requests).toHaveLength(1);
  });
});

describe('the repositories of a connection', () => {
  it('are listed a page at a time, by the token of the account or one that is minted for the installation', async () => {
    const token = connectionIn(await bench.create({ provider: 'codehost', token: TOKEN }));
    const list = async (id: string, query = '') =>
      (await bench.api.get(`/v1/connections/${id}/repos${query}`, as(bench.member)))
        .body as unknown as Schemas['RepositoryList'];
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
    expect((await bench.api.get(`/v1/connections/${token.id}/repos?page=0`, as(bench.member))).status).toBe(400);
    const installed = connectionIn(await bench.create(bench.appBody({ installation_id: '503' })));
    const minted = bench.rest.minted;
    await list(installed.id);
    expect((await list(installed.id, '?page=2')).repos[0]?.full_name).toBe('acme/page-2-of-50');
    expect(bench.rest.minted).toBe(minted + 1);
  });

  it('a minted token is used while it has five minutes left, and not after a revoke', async () => {
    bench.rest.tokenLifeMs = 4 * 60 * 1000;
    const { id } = connectionIn(await bench.create(bench.appBody({ installation_id: '504' })));
    const minted = bench.rest.minted;
    for (let i = 0; i < 2; i++) expect((await bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(200);
    expect(bench.rest.minted).toBe(minted + 2);
    await bench.api.post(`/v1/connections/${id}/revoke`, undefined, as(bench.admin));
    const after = await bench.api.get(`/v1/connections/${id}/repos`);
    expect([after.status, after.body.error]).toEqual([409, 'the connection is revoked — reconnect it']);
    expect(bench.rest.minted).toBe(minted + 2);
  });

  it('CP-290 a connection of another kind never shows its credential to the code host', async () => {
    const answer = await bench.api.get(`/v1/connections/${mcp}/repos`);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining('does not belong to a code host'),
    ]);
    expect(bench.host.requests).toEqual([]);
    const { id } = connectionIn(await bench.create({ provider: 'codehost', token: TOKEN }));
    bench.rest.failWith = 503;
    const failing = await bench.api.get(`/v1/connections/${id}/repos`);
    expect(failing.status).toBe(400);
    expect(failing.text).not.toContain('ghp_from-the-host');
  });
});

describe('what a run may use to fetch its repository', () => {
  const start = async (connection: string, user: TestUser = bench.admin) => {
    const workspace = { kind: 'git_repository', repository: 'acme/shop', connection_id: connection, ref: 'main' };
    const answer = await bench.api.post('/v1/sessions', { agent: 'fixer', task: '[]', workspace }, as(user));
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    const { id, run_spec: spec } = answer.body.session;
    return { id, workspace: (spec as unknown as RunSpec).workspace as GitRepository };
  };
  const header = (id: string, workspace: GitRepository) =>
    bench.api.app
      .get(Codehost)
      .accessOf({ organizationId: bench.api.organizationId, runId: id }, { workspace })
      .authorization();
  const basic = (token: string) => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

  it('CP-072 is the credential of the bound connection, for exactly what was bound', async () => {
    const { id: connection } = connectionIn(await bench.create({ provider: 'codehost', token: TOKEN }));
    const { id, workspace } = await start(connection);
    expect(workspace).toMatchObject({ clone_url: `${bench.host.url()}/acme/shop`, connection_id: connection });
    expect(await header(id, workspace)).toBe(basic(TOKEN));
    const others: Partial<GitRepository>[] = [
      { clone_url: `${bench.host.url()}/acme/other` },
      { clone_url: 'https://evil.test/acme/shop' },
      { ref: 'other' },
      { commit_sha: 'a'.repeat(40) },
      { base_sha: 'a'.repeat(40) },
      { binding_id: uuidv7() },
    ];
    for (const other of others)
      await expect(header(id, { ...workspace, ...other })).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('not what the run was bound to') as unknown,
      });
    const publicRun = await bench.api.post('/v1/sessions', {
      agent: 'fixer',
      task: '[]',
      workspace: { kind: 'git_repository', clone_url: `${bench.host.url()}/acme/shop` },
    });
    const { id: open, run_spec: spec } = publicRun.body.session;
    expect(await header(open, (spec as unknown as RunSpec).workspace as GitRepository)).toBeNull();
  });

  it('CP-290 CP-314 is nothing once the connection was revoked or its person is gone', async () => {
    const { id: connection } = connectionIn(await bench.create({ provider: 'codehost', token: TOKEN }));
    const { id, workspace } = await start(connection);
    await bench.api.post(`/v1/connections/${connection}/revoke`, undefined, as(bench.admin));
    await expect(header(id, workspace)).rejects.toThrow('is revoked — reconnect it');
    const leaving = await bench.api.addUser('member');
    const mine = connectionIn(await bench.create({ provider: 'codehost', token: TOKEN, owner: 'personal' }, leaving));
    const run = await start(mine.id, leaving);
    expect(await header(run.id, run.workspace)).toBe(basic(TOKEN));
    await deactivate(bench.api.db, leaving, 'membership');
    await expect(header(run.id, run.workspace)).rejects.toThrow('no longer an active member');
  });

  it('a personal connection of somebody else, and one of another kind, are refused before the run exists', async () => {
    const { id: foreign } = connectionIn(
      await bench.create({ provider: 'codehost', token: TOKEN, owner: 'personal' }, bench.member),
    );
    for (const [connection, reason] of [
      [foreign, `unknown connection ${foreign}`],
      [mcp, 'is no connection to a code host'],
    ] as const) {
      const workspace = { kind: 'git_repository', repository: 'acme/shop', connection_id: connection };
      const answer = await bench.api.post('/v1/sessions', { agent: 'fixer', task: '[]', workspace }, as(bench.admin));
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    }
  });

  it('is a token that is minted for the installation of an app', async () => {
    bench.app.installations.set('505', { login: 'acme', suspended: false });
    const { id: connection } = connectionIn(await bench.create(bench.appBody({ installation_id: '505' })));
    const { id, workspace } = await start(connection);
    expect(await header(id, workspace)).toBe(basic(`ghs_minted${bench.rest.minted}`));
  });
});
