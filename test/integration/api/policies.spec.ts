import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { CANONICAL_TOOLS } from '../../../src/domain/tools/vocabulary.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';

type Detail = Schemas['PolicyDetail'];
type Imported = Schemas['ImportedPolicy'];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let counter = 0;
const newName = (): string => `policy-${(counter += 1)}`;
const yamlOf = (name: string, action = 'allow'): string =>
  `# kept\nname: ${name}\ntools:\n  - {match: [Read], action: ${action}}\n`;
const importYaml = (name: string, yaml: string): Promise<Answer> => api.post('/v1/policies', { name, yaml });
const read = async (name: string): Promise<Detail> => (await api.get(`/v1/policies/${name}`)).body as unknown as Detail;
const publish = (name: string, base: number, content: JsonObject = {}, summary = 'tighter'): Promise<Answer> =>
  api.post(`/v1/policies/${name}/publish`, { content: { name, ...content }, summary, base_version: base });
const made = async (): Promise<string> => {
  const name = newName();
  expect((await importYaml(name, yamlOf(name))).status).toBe(200);
  return name;
};

describe('reading policies', () => {
  it('CP-100 CP-212 CP-215 CP-218 CP-328 heads and versions, bare and by name', async () => {
    const { policies } = (await api.get('/v1/policies')).body;
    expect(policies.map((policy) => policy.name)).toEqual(['default', 'governed', 'standard', 'unrestricted']);
    const head = await read('default');
    expect(head).toMatchObject({ ...policies[0], name: 'default', version: 1, author: 'seed', published_by: 'seed' });
    const version = (await api.get('/v1/policies/default/versions/1')).body;
    expect(head).toMatchObject({ ...version });
    expect(version.content['name']).toBe('default');
    for (const path of [
      'nothing',
      'nothing/versions/1',
      'default/versions/2',
      'default/versions/0',
      'default/versions/x',
      'default/versions/99999999999',
      'default/versions/-1',
    ]) {
      expect((await api.get(`/v1/policies/${path}`)).status).toBe(404);
    }
    expect((await api.get('/v1/policies/default', { token: null })).status).toBe(401);
  });

  it('CP-215 the detail shows sections, versions, matrix and who uses it', async () => {
    const name = await made();
    await api.post('/v1/agents', { name: `zed-${name}`, policy: name });
    await api.post('/v1/agents', { name: `abe-${name}`, policy: name });
    await api.post('/v1/agents', { name: `gone-${name}`, policy: name });
    await api.post(`/v1/agents/gone-${name}/revisions`, { policy: 'default' });
    await publish(name, 1, { autonomy: { on_approval_rule: 'allow' } });
    const detail = await read(name);
    expect(detail).toMatchObject({
      version: 2,
      summary: 'tighter',
      author: 'ui',
      author_user_id: null,
      defaults: { tool_action: 'approve' },
      budgets: { max_tool_calls: 100 },
      approvals: { default_ttl_secs: 600 },
      egress: { mode: 'proxy-only' },
      autonomy_summary: { permitted: true, default_fallback: 'allow', allow_overrides: 0, deny_overrides: 0 },
    });
    expect(detail.agents_using.map((agent) => agent.name)).toEqual([`abe-${name}`, `zed-${name}`]);
    expect(detail.versions.map(({ version, author, summary }) => [version, author, summary])).toEqual([
      [2, 'ui', 'tighter'],
      [1, 'api', null],
    ]);
    expect(detail.matrix.map(({ tool }) => tool)).toEqual(CANONICAL_TOOLS.map((tool) => tool.name));
    const listed = (await api.get('/v1/policies')).body.policies.find((policy) => policy.name === name);
    expect(detail).toMatchObject({ ...listed });
    expect(Object.keys(listed ?? {})).not.toContain('matrix');
  });

  it('an old document means the same on the screen and in a run', async () => {
    const name = await made();
    await api.post('/v1/agents', { name: `agent-${name}`, policy: name });
    const old = { name, retired_key: 1, tools: [], managed_overrides: [{ tool: 'Bash', action: 'deny' }] };
    await api.database.owner.query(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
       select gen_random_uuid(), tenant_id, id, 2, $2, 'ui' from policies where name = $1`,
      [name, JSON.stringify(old)],
    );
    const detail = await read(name);
    expect(detail.content).toMatchObject({ name, tools: [{ match: ['Bash'], action: 'deny' }] });
    expect(Object.keys(detail.content)).not.toEqual(expect.arrayContaining(['managed_overrides', 'retired_key']));
    expect(detail.yaml).not.toContain('managed_overrides');
    expect(detail.matrix.find(({ tool }) => tool === 'Bash')?.verdict).toBe('deny');
    expect((await publish(name, 2, { managed_overrides: [] })).body.error).toContain('managed_overrides');
    const { session } = (await api.post('/v1/sessions', { agent: `agent-${name}`, task: '[]' })).body;
    expect(session.run_spec['policy_snapshot']).toEqual(detail.content);
  });
});

describe('importing YAML', () => {
  it('CP-213 CP-165 creates, replaces, and appends nothing for the same meaning', async () => {
    const name = newName();
    const first = (await importYaml(name, yamlOf(name))).body as unknown as Imported;
    expect(first).toMatchObject({ name, version: 1, appended: true, yaml: yamlOf(name), summary: null, author: 'api' });
    const spelled = `{name: ${name}, tools: [{action: allow, match: [Read], risk: null}], budgets: {max_cost_usd: 2.50, max_tokens: 1000000, max_wall_clock_secs: 1800, max_tool_calls: 100}}`;
    const again = (await importYaml(name, spelled)).body as unknown as Imported;
    expect(again).toMatchObject({ version: 1, appended: false, yaml: yamlOf(name), updated_at: first.updated_at });
    const changed = (await importYaml(name, yamlOf(name, 'deny'))).body as unknown as Imported;
    expect(changed).toMatchObject({ id: first.id, version: 2, appended: true });
    // Only the head counts: the content of an older version is a change.
    expect((await importYaml(name, yamlOf(name))).body).toMatchObject({ version: 3, appended: true });
    expect((await read(name)).version).toBe(3);
  });

  it.each<[string, unknown, string]>([
    ['no name', { yaml: 'name: x' }, 'name'],
    ['no yaml', { name: 'x' }, 'yaml'],
    ['yaml that is no text', { name: 'x', yaml: { name: 'x' } }, 'yaml'],
    ['bad syntax', { name: 'x', yaml: 'a: [' }, 'invalid YAML'],
    ['an unknown key', { name: 'x', yaml: 'name: x\nextra: 1' }, 'extra'],
    ['another name', { name: 'x', yaml: 'name: y' }, 'name: the document says y, the request x'],
    ['a reserved name', { name: 'clone', yaml: 'name: clone' }, 'name: clone'],
    ['a name that no address can hold', { name: '..', yaml: 'name: ..' }, 'name: .. means something else'],
    ['NUL in a text', { name: 'x', yaml: 'name: x\ntools: [{match: ["\\0"], action: deny}]' }, 'tools[0].match[0]'],
    ['half a character', { name: 'x', yaml: 'name: x\ntools: [{match: [a], action: deny, risk: "\\ud800"}]' }, 'risk'],
    ['a float for an integer', { name: 'x', yaml: 'name: x\nbudgets: {max_tokens: 6.0}' }, 'budgets.max_tokens'],
  ])('CP-214 %s is 400 and makes no policy', async (_what, body, reason) => {
    const answer = await api.post('/v1/policies', body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect((await api.get('/v1/policies/x')).status).toBe(404);
  });

  it('names that differ from reserved words by case or more are free', async () => {
    for (const name of ['Clone', 'previews', 'a/b c%2F']) {
      expect((await importYaml(name, `name: "${name}"`)).status).toBe(200);
      expect((await read(encodeURIComponent(name))).name).toBe(name);
    }
  });

  it('imported at once by many, a new policy has each content once', async () => {
    const name = newName();
    const answers = await Promise.all(Array.from({ length: 24 }, () => importYaml(name, yamlOf(name))));
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect(answers.filter(({ body }) => (body as unknown as Imported).appended)).toHaveLength(1);
    expect((await read(name)).versions).toHaveLength(1);
  });
});

describe('publishing', () => {
  it('CP-165 CP-219 appends a new head with defaults filled in, also for identical content', async () => {
    const name = await made();
    const answer = await publish(name, 1, {}, '  open it  ');
    expect(answer.body).toMatchObject({ name, version: 2, summary: 'open it', author: 'ui', published_by: 'ui' });
    expect((answer.body as unknown as Detail).yaml).toContain('tool_action: approve');
    expect((await publish(name, 2, {}, 'again')).body).toMatchObject({ version: 3 });
    expect((await api.get(`/v1/policies/${name}/versions/1`)).body).toMatchObject({ yaml: yamlOf(name) });
  });

  it.each<[string, (name: string) => object, string]>([
    ['no content', () => ({ summary: 's', base_version: 1 }), 'content'],
    ['content that is a list', () => ({ content: [], summary: 's', base_version: 1 }), 'content'],
    ['no summary', (name) => ({ content: { name }, base_version: 1 }), 'summary'],
    ['a blank summary', (name) => ({ content: { name }, summary: ' \n\t', base_version: 1 }), 'summary'],
    [
      'a summary of 501 bytes',
      (name) => ({ content: { name }, summary: 'é'.repeat(250) + 'x', base_version: 1 }),
      '500',
    ],
    ['no base_version', (name) => ({ content: { name }, summary: 's' }), 'base_version: must be an integer'],
    [
      'a base_version as text',
      (name) => ({ content: { name }, summary: 's', base_version: '1' }),
      'base_version: must be an integer',
    ],
    [
      'a base_version beyond int32',
      (name) => ({ content: { name }, summary: 's', base_version: 2 ** 31 }),
      'base_version',
    ],
    ['another name', () => ({ content: { name: 'other' }, summary: 's', base_version: 1 }), 'content.name'],
    ['an unknown key', (name) => ({ content: { name, version: 1 }, summary: 's', base_version: 1 }), '`version`'],
    [
      'a bad rule',
      (name) => ({ content: { name, tools: [{ match: [] }] }, summary: 's', base_version: 1 }),
      'tools[0]',
    ],
  ])('CP-220 %s is 400 and writes nothing', async (_what, body, reason) => {
    const name = await made();
    const answer = await api.post(`/v1/policies/${name}/publish`, body(name));
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect((await read(name)).versions).toHaveLength(1);
  });

  it('CP-220 an integer written with a fraction is refused, and a summary of 500 bytes is not', async () => {
    const name = await made();
    const send = (ttl: string, summary: string): Promise<Answer> =>
      api.call('POST', `/v1/policies/${name}/publish`, {
        raw: `{"content":{"name":"${name}","approvals":{"default_ttl_secs":${ttl}}},"summary":"${summary}","base_version":1}`,
      });
    expect((await send('600.0', 's')).body.error).toContain('approvals.default_ttl_secs');
    expect((await send('600', 's'.repeat(500))).status).toBe(200);
  });

  it('the checks answer in order: summary, policy, content, name, head', async () => {
    const name = await made();
    const send = (to: string, body: object): Promise<Answer> => api.post(`/v1/policies/${to}/publish`, body);
    const bad = { name: 'other', extra: 1 };
    expect((await send('nothing', { content: bad, summary: ' ', base_version: 9 })).body.error).toContain('summary');
    expect((await send('nothing', { content: bad, summary: 's', base_version: 9 })).status).toBe(404);
    expect((await send(name, { content: bad, summary: 's', base_version: 9 })).body.error).toContain('extra');
    expect((await send(name, { content: { name: 'other' }, summary: 's', base_version: 9 })).status).toBe(400);
    expect((await send(name, { content: { name }, summary: 's', base_version: 9 })).status).toBe(409);
  });

  it('CP-221 a moved head is 409 naming both versions, also for the caller who moved it', async () => {
    const name = await made();
    expect((await publish(name, 1)).status).toBe(200);
    const repeat = await publish(name, 1);
    expect(repeat.status).toBe(409);
    expect(repeat.body.error).toBe(`base_version: the head of ${name} is version 2, not 1; nothing was written`);
    expect((await publish(name, 3)).status).toBe(409);
    expect((await read(name)).versions).toHaveLength(2);
  });

  it('CP-165 CP-221 of 50 at once on one base exactly one wins, and the others write nothing', async () => {
    const name = await made();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => publish(name, 1, {}, `attempt ${i}`)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    const detail = await read(name);
    expect(detail.versions.map(({ version }) => version)).toEqual([2, 1]);
    expect(detail.summary).toBe((won[0]?.body as unknown as Detail).summary);
    const rows = await api.database.owner.query('select 1 from policy_versions where policy_id = $1', [detail.id]);
    expect(rows.rowCount).toBe(2);
  });

  it('versions are append-only for the runtime role and for the owner', async () => {
    const change = (sql: string): Promise<unknown> => api.db.withTenant(api.organizationId, (tx) => tx.query(sql));
    await expect(change(`update policy_versions set summary = 'x'`)).rejects.toThrow();
    await expect(change('delete from policy_versions')).rejects.toThrow();
    await expect(api.database.owner.query('delete from policy_versions')).rejects.toThrow('append-only');
  });
});

describe('reverting', () => {
  it('CP-165 CP-222 the earlier content and YAML come back as a new head, and the matrix with them', async () => {
    const name = await made();
    await publish(name, 1, { tools: [{ match: ['Read'], action: 'deny' }] });
    const verdict = async (): Promise<string | undefined> =>
      (await read(name)).matrix.find(({ tool }) => tool === 'Read')?.verdict;
    expect(await verdict()).toBe('deny');
    const answer = await api.post(`/v1/policies/${name}/revert`, { version: 1, base_version: 2 });
    expect(answer.body).toMatchObject({ version: 3, summary: 'revert to v1', yaml: yamlOf(name), author: 'ui' });
    expect(await verdict()).toBe('allow');
    const head = await api.post(`/v1/policies/${name}/revert`, { version: 3, base_version: 3 });
    expect(head.body).toMatchObject({ version: 4, summary: 'revert to v3' });
  });

  it('CP-223 an unknown policy or version is 404, a moved head 409, a bad body 400', async () => {
    const name = await made();
    const revert = (to: string, body: object): Promise<number> =>
      api.post(`/v1/policies/${to}/revert`, body).then(({ status }) => status);
    expect(await revert('nothing', { version: 1, base_version: 1 })).toBe(404);
    for (const version of [2, 0, -1]) expect(await revert(name, { version, base_version: 1 })).toBe(404);
    expect(await revert(name, { version: 1, base_version: 2 })).toBe(409);
    for (const body of [
      {},
      { version: 1 },
      { base_version: 1 },
      { version: 1.5, base_version: 1 },
      { version: null, base_version: 1 },
    ])
      expect(await revert(name, body)).toBe(400);
    expect((await read(name)).versions).toHaveLength(1);
  });
});

describe('cloning', () => {
  it('CP-228 copies a head or a version under the new name', async () => {
    const source = await made();
    await publish(source, 1, { tools: [{ match: ['Read'], action: 'deny' }] });
    const [head, first] = [newName(), newName()];
    const ofHead = await api.post('/v1/policies/clone', { name: head, from: source });
    expect(ofHead.body).toMatchObject({ name: head, version: 1, author: 'ui', summary: `cloned from ${source} v2` });
    expect(ofHead.body.content).toMatchObject({ name: head, tools: [{ action: 'deny' }] });
    const ofFirst = await api.post('/v1/policies/clone', { name: first, from: source, from_version: 1 });
    expect(ofFirst.body.content).toMatchObject({ name: first, tools: [{ action: 'allow' }] });
    expect((await read(source)).version).toBe(2);
  });

  it('CP-101 CP-228 without a source it is blank, and every tool asks', async () => {
    const name = newName();
    const answer = await api.post('/v1/policies/clone', { name, from: null });
    expect(answer.body).toMatchObject({ name, version: 1, summary: expect.stringContaining('blank') as unknown });
    const verdicts = (await read(name)).matrix.map(({ verdict }) => verdict);
    expect([verdicts.length, ...new Set(verdicts)]).toEqual([40, 'require_approval']);
  });

  it.each<[string, object]>([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of 65', { name: 'n'.repeat(65) }],
    ['a leading dot', { name: '.hidden' }],
    ['a slash', { name: 'a/b' }],
    ['a reserved name', { name: 'validate' }],
    ['from_version alone', { name: 'x', from_version: 1 }],
    ['an unknown source', { name: 'x', from: 'nothing' }],
    ['an unknown version', { name: 'x', from: 'default', from_version: 9 }],
    ['version 0', { name: 'x', from: 'default', from_version: 0 }],
    ['a version as text', { name: 'x', from: 'default', from_version: '1' }],
  ])('CP-229 %s is 400 and makes nothing', async (_what, body) => {
    expect((await api.post('/v1/policies/clone', body)).status).toBe(400);
    expect((await api.get('/v1/policies/x')).status).toBe(404);
  });

  it('CP-229 a taken name is 409, for one of many at once too', async () => {
    expect((await api.post('/v1/policies/clone', { name: 'default' })).status).toBe(409);
    const name = 'n'.repeat(63) + '9';
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.post('/v1/policies/clone', { name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });
});

describe('who may', () => {
  it('CP-214 CP-217 CP-220 CP-223 CP-224 CP-225 CP-229 without a credential every route is 401', async () => {
    for (const path of ['', '/default/publish', '/default/revert', '/validate', '/preview', '/clone'])
      expect((await api.post(`/v1/policies${path}`, {}, { token: null })).status).toBe(401);
    expect((await api.call('DELETE', '/v1/policies/default', { token: null })).status).toBe(401);
  });
});
