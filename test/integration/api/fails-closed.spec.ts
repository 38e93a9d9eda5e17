import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import type { Schemas } from '../../../src/client/client.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { createGatedRun, post } from '../../support/gate/gated-run.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ ANTHROPIC_API_KEY: 'test-key' }, [InternalModule]);
  expect((await api.post('/v1/agents', { name: 'kept', policy: 'governed' })).status).toBe(200);
});
afterAll(() => api.close());

const BROKEN = [
  { match: ['Read'], action: 'allow' },
  { match: ['Bash'], action: 'allow', shell: { deny_regex: ['rm', '(curl'] } },
];
const DEFECT = '`tools[1].shell.deny_regex`: the pattern `(curl` is not valid';

/** A version as an earlier release, or somebody with access to the database, may have left it. */
async function storeVersion(name: string, version: number, tools: unknown): Promise<void> {
  await api.database.owner.query(
    `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
     select gen_random_uuid(), tenant_id, id, $2, $3, 'ui' from policies where name = $1`,
    [name, version, JSON.stringify({ name, tools })],
  );
}

async function brokenPolicy(name: string): Promise<void> {
  expect((await api.post('/v1/policies/clone', { name })).status).toBe(200);
  await storeVersion(name, 2, BROKEN);
}

const bodyOf = <T>(answer: Answer): T => answer.body as unknown as T;

describe('a policy with a deny pattern that does not compile', () => {
  it('is not imported, published, or checked as valid', async () => {
    const content = { name: 'default', tools: BROKEN };
    const yaml = JSON.stringify({ ...content, name: 'new' });
    const publish = { content, summary: 's', base_version: 1 };
    for (const answer of [
      await api.post('/v1/policies', { name: 'new', yaml }),
      await api.post('/v1/policies/default/publish', publish),
      await api.post('/v1/policies/preview', { content }),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(DEFECT)]);
    }
    expect(
      bodyOf<{ valid: boolean; errors: string[] }>(await api.post('/v1/policies/validate', { yaml })),
    ).toMatchObject({ valid: false, errors: [expect.stringContaining(DEFECT)] });
  });

  it('is read with what is wrong with it, and freezes into no run', async () => {
    await brokenPolicy('stored');
    const detail = bodyOf<Schemas['PolicyDetail']>(await api.get('/v1/policies/stored'));
    expect([detail.version, detail.defects]).toEqual([2, [expect.stringContaining(DEFECT)]]);
    expect(new Set(detail.matrix.map(({ verdict }) => verdict))).toEqual(new Set(['deny']));
    const earlier = bodyOf<Schemas['PolicyView']>(await api.get('/v1/policies/stored/versions/1'));
    expect(earlier.defects).toEqual([]);
    expect((await api.get('/v1/policies')).status).toBe(200);

    await api.post('/v1/agents', { name: 'of-stored', policy: 'stored' });
    const refused = await api.post('/v1/sessions', { agent: 'of-stored', task: '[]' });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringMatching(/^policy: version 2 of stored is not valid; publish one that is: /),
    ]);
    expect(refused.body.error).toContain(DEFECT);
    expect((await api.get('/v1/sessions')).body.sessions).toEqual([]);
  });

  it('is no source of a new version, and an earlier valid one puts it right', async () => {
    await brokenPolicy('source');
    await storeVersion('source', 3, BROKEN);
    const revert = (version: number) => api.post('/v1/policies/source/revert', { version, base_version: 3 });
    for (const answer of [await revert(2), await api.post('/v1/policies/clone', { name: 'copy', from: 'source' })]) {
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(DEFECT)]);
    }
    expect((await revert(1)).status).toBe(200);
    await api.post('/v1/agents', { name: 'of-source', policy: 'source' });
    expect((await api.post('/v1/sessions', { agent: 'of-source', task: '[]' })).status).toBe(200);
  });

  it.each([
    ['has every call denied, and is named', { tools: BROKEN }, DEFECT],
    ['that cannot be read has every call denied', { tools: [{ match: ['Read'], action: 'maybe' }] }, 'tools[0].action'],
  ])('in the frozen specification of a run %s', async (_what, frozen, why) => {
    const run = await createGatedRun(api.db, { policy: { defaults: { tool_action: 'allow' }, ...frozen } });
    for (const [id, tool, input] of [
      ['a', 'Read', { file_path: '/workspace/a' }],
      ['b', 'Bash', { command: 'ls' }],
      ['c', 'Deploy', {}],
    ] as const) {
      const answer = await post(`${api.url}/internal/permission`, run.tokens.tool, { tool_call_id: id, tool, input });
      expect([answer.status, answer.body['decision']]).toEqual([200, 'deny']);
      expect(answer.body['message']).toContain(why);
    }
  });
});

describe('a name that nobody has is refused and stands for nothing else', () => {
  it.each([
    ['harness', 'clade'],
    ['harness', ''],
    ['policy', 'polcy'],
    ['policy', ''],
    ['capability_bundles', ['kb']],
    ['capability_bundles', ['kb@7']],
    ['capability_bundles', ['']],
  ])('CP-082 CP-084 as the %s %j of an agent and of a revision', async (member, name) => {
    const before = bodyOf<Schemas['AgentWithRevisions']>(await api.get('/v1/agents/kept'));
    for (const [path, more] of [
      ['/v1/agents', { name: 'never' }],
      ['/v1/agents/kept/revisions', {}],
    ] as const) {
      const answer = await api.post(path, { ...more, [member]: name });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(`${member}`)]);
    }
    expect((await api.get('/v1/agents/never')).status).toBe(404);
    expect(bodyOf<Schemas['AgentWithRevisions']>(await api.get('/v1/agents/kept'))).toEqual(before);
  });

  it.each([
    ['agent', { agent: 'nobody' }],
    ['agent', { agent: '' }],
  ])('CP-018 as the %s of a run %j', async (member, more) => {
    const answer = await api.post('/v1/sessions', { task: '[]', ...more });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(`${member}`)]);
  });

  it('CP-082 as the harness of an agent that another version registered, which gets no run', async () => {
    await api.post('/v1/agents', { name: 'of-gone' });
    await api.database.owner.query(
      `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id, budgets)
       select gen_random_uuid(), r.tenant_id, r.agent_id, 2, 'gone', r.model, r.policy_id, r.budgets
         from agent_revisions r join agents a on a.id = r.agent_id where a.name = 'of-gone'`,
    );
    const answer = await api.post('/v1/sessions', { agent: 'of-gone', task: '[]' });
    expect([answer.status, answer.body.error]).toEqual([400, 'agent: its harness gone is unknown to this version']);
  });

  it('CP-082 as SERVICE_DEFAULT_HARNESS, which refuses the boot', () => {
    for (const name of ['clade', 'Builtin', 'builtin ']) {
      expect(() => loadConfig({ SERVICE_DEFAULT_HARNESS: name })).toThrow('SERVICE_DEFAULT_HARNESS');
    }
  });

  it('CP-082 as an option of the command, which ends with 2', async () => {
    const home = mkdtempSync(join(tmpdir(), 'sandgate-names-'));
    const env = { PATH: process.env['PATH'], HOME: home, SERVICE_DATA_DIR: join(home, 'state') };
    const codeOf = (...argv: string[]): Promise<number> =>
      new Promise((done) => {
        execFile(process.execPath, [resolve('dist/cli/main.js'), ...argv], { env }, (error) =>
          done(error === null ? 0 : Number(error.code)),
        );
      });
    expect(await codeOf('demo', '--harness', 'clade')).toBe(2);
    expect(await codeOf('demo', '--harness', '')).toBe(2);
    expect(await codeOf('harness', 'install', 'clade')).toBe(2);
    rmSync(home, { recursive: true, force: true });
  });
});
