import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { CANONICAL_TOOLS } from '../../../src/domain/tools/vocabulary.js';
import { type TestApi } from '../../support/api/api.js';
import { PoliciesBench, yamlOf } from '../../support/policies/policies-bench.js';

type Imported = Schemas['ImportedPolicy'];

let bench: PoliciesBench;
let api: TestApi;
beforeAll(async () => {
  bench = await PoliciesBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('reading policies', () => {
  it('CP-100 CP-212 CP-215 CP-218 CP-328 heads and versions, bare and by name', async () => {
    const { policies } = (await api.get('/v1/policies')).body;
    expect(policies.map((policy) => policy.name)).toEqual(['default', 'governed', 'standard', 'unrestricted']);
    const head = await bench.read('default');
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
    const name = await bench.made();
    await api.post('/v1/agents', { name: `zed-${name}`, policy: name });
    await api.post('/v1/agents', { name: `abe-${name}`, policy: name });
    await api.post('/v1/agents', { name: `gone-${name}`, policy: name });
    await api.post(`/v1/agents/gone-${name}/revisions`, { policy: 'default' });
    await bench.publish(name, 1, { autonomy: { on_approval_rule: 'allow' } });
    const detail = await bench.read(name);
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
    const name = await bench.made();
    await api.post('/v1/agents', { name: `agent-${name}`, policy: name });
    const old = { name, retired_key: 1, tools: [], managed_overrides: [{ tool: 'Bash', action: 'deny' }] };
    await api.database.owner.query(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
       select gen_random_uuid(), tenant_id, id, 2, $2, 'ui' from policies where name = $1`,
      [name, JSON.stringify(old)],
    );
    const detail = await bench.read(name);
    expect(detail.content).toMatchObject({ name, tools: [{ match: ['Bash'], action: 'deny' }] });
    expect(Object.keys(detail.content)).not.toEqual(expect.arrayContaining(['managed_overrides', 'retired_key']));
    expect(detail.yaml).not.toContain('managed_overrides');
    expect(detail.matrix.find(({ tool }) => tool === 'Bash')?.verdict).toBe('deny');
    expect((await bench.publish(name, 2, { managed_overrides: [] })).body.error).toContain('managed_overrides');
    const { session } = (await api.post('/v1/sessions', { agent: `agent-${name}`, task: '[]' })).body;
    expect(session.run_spec['policy_snapshot']).toEqual(detail.content);
  });
});

describe('importing YAML', () => {
  it('CP-213 CP-165 creates, replaces, and appends nothing for the same meaning', async () => {
    const name = bench.newName();
    const first = (await bench.importYaml(name, yamlOf(name))).body as unknown as Imported;
    expect(first).toMatchObject({ name, version: 1, appended: true, yaml: yamlOf(name), summary: null, author: 'api' });
    const spelled = `{name: ${name}, tools: [{action: allow, match: [Read], risk: null}], budgets: {max_cost_usd: 2.50, max_tokens: 1000000, max_wall_clock_secs: 1800, max_tool_calls: 100}}`;
    const again = (await bench.importYaml(name, spelled)).body as unknown as Imported;
    expect(again).toMatchObject({ version: 1, appended: false, yaml: yamlOf(name), updated_at: first.updated_at });
    const changed = (await bench.importYaml(name, yamlOf(name, 'deny'))).body as unknown as Imported;
    expect(changed).toMatchObject({ id: first.id, version: 2, appended: true });
    // Only the head counts: the content of an older version is a change.
    expect((await bench.importYaml(name, yamlOf(name))).body).toMatchObject({ version: 3, appended: true });
    expect((await bench.read(name)).version).toBe(3);
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
      expect((await bench.importYaml(name, `name: "${name}"`)).status).toBe(200);
      expect((await bench.read(encodeURIComponent(name))).name).toBe(name);
    }
  });

  it('imported at once by many, a new policy has each content once', async () => {
    const name = bench.newName();
    const answers = await Promise.all(Array.from({ length: 24 }, () => bench.importYaml(name, yamlOf(name))));
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect(answers.filter(({ body }) => (body as unknown as Imported).appended)).toHaveLength(1);
    expect((await bench.read(name)).versions).toHaveLength(1);
  });
});

describe('cloning', () => {
  it('CP-228 copies a head or a version under the new name', async () => {
    const source = await bench.made();
    await bench.publish(source, 1, { tools: [{ match: ['Read'], action: 'deny' }] });
    const [head, first] = [bench.newName(), bench.newName()];
    const ofHead = await api.post('/v1/policies/clone', { name: head, from: source });
    expect(ofHead.body).toMatchObject({ name: head, version: 1, author: 'ui', summary: `cloned from ${source} v2` });
    expect(ofHead.body.content).toMatchObject({ name: head, tools: [{ action: 'deny' }] });
    const ofFirst = await api.post('/v1/policies/clone', { name: first, from: source, from_version: 1 });
    expect(ofFirst.body.content).toMatchObject({ name: first, tools: [{ action: 'allow' }] });
    expect((await bench.read(source)).version).toBe(2);
  });

  it('CP-101 CP-228 without a source it is blank, and every tool asks', async () => {
    const name = bench.newName();
    const answer = await api.post('/v1/policies/clone', { name, from: null });
    expect(answer.body).toMatchObject({ name, version: 1, summary: expect.stringContaining('blank') as unknown });
    const verdicts = (await bench.read(name)).matrix.map(({ verdict }) => verdict);
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
