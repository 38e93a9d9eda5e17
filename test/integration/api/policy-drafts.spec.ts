import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { CANONICAL_TOOLS } from '../../../src/domain/tools/vocabulary.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';

type Preview = Schemas['PolicyPreview'];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const CANONICAL = CANONICAL_TOOLS.map(({ name }) => name);
const preview = (body: object): Promise<Answer> => api.post('/v1/policies/preview', body);
const previewed = async (body: object): Promise<Preview> => {
  const answer = await preview(body);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Preview;
};
const rowCounts = async (): Promise<unknown> => {
  const sql = 'select (select count(*) from policies) as p, (select count(*) from policy_versions) as v';
  return (await api.database.owner.query<{ p: string; v: string }>(sql)).rows;
};

/** A bundle version with one server, straight in the record. */
async function bundle(name: string, version: number, server: string, tools: string[]): Promise<object> {
  const definition = { servers: [{ class: 'sandbox', name: server, tools: tools.map((tool) => ({ name: tool })) }] };
  const { rows } = await api.database.owner.query<{ id: string }>(
    `insert into capability_bundles (id, tenant_id, name, version, definition, definition_digest)
     values (gen_random_uuid(), $1, $2, $3, $4, '') returning id`,
    [api.organizationId, name, version, JSON.stringify(definition)],
  );
  return { id: rows[0]?.id, name, version };
}

async function revise(agent: string, policy: string, bundles: object[], requirements: object[] = []): Promise<void> {
  await api.database.owner.query(
    `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id, capability_bundles, connection_requirements)
     select gen_random_uuid(), a.tenant_id, a.id, (select max(rev) + 1 from agent_revisions where agent_id = a.id),
            'replay', 'none', p.id, $3, $4 from agents a, policies p where a.name = $1 and p.name = $2`,
    [agent, policy, JSON.stringify(bundles), JSON.stringify(requirements)],
  );
}

describe('validating', () => {
  it('CP-224 answers every fault of the text, or the name, and stores nothing', async () => {
    const before = await rowCounts();
    const validate = async (yaml: string): Promise<unknown> => {
      const answer = await api.post('/v1/policies/validate', { yaml });
      expect(answer.status).toBe(200);
      return answer.body;
    };
    expect(await validate('name: fine')).toEqual({ valid: true, errors: [], name: 'fine' });
    expect(await validate('name: clone\ntools: [{match: [a], action: maybe}]\nmore: 1')).toEqual({
      valid: false,
      errors: [
        expect.stringContaining('unknown key `more`'),
        expect.stringContaining('`tools[0].action` must be one of allow, approve, deny'),
      ],
    });
    expect(await validate('a: [')).toEqual({ valid: false, errors: [expect.stringMatching(/^invalid YAML/)] });
    for (const text of ['', '\u0000', 'name: x # \ud800', '- a'])
      expect(await validate(text)).toMatchObject({ valid: false });
    expect(await validate(`name: x # ${'x'.repeat(1_048_576)}`)).toMatchObject({
      errors: ['invalid YAML: the text is larger than 1048576 bytes'],
    });
    expect(await rowCounts()).toEqual(before);
  });

  it('CP-224 is 400 only when yaml is missing or no text', async () => {
    for (const body of [{}, { yaml: null }, { yaml: 1 }, { yaml: ['name: x'] }, [], 'name: x'])
      expect((await api.post('/v1/policies/validate', body)).status).toBe(400);
    expect((await api.post('/v1/policies/validate')).status).toBe(400);
  });
});

describe('previewing', () => {
  it('CP-225 CP-227 shows the draft with its defaults and a row per canonical tool, and stores nothing', async () => {
    const before = await rowCounts();
    const content = {
      name: 'draft',
      tools: [
        { match: ['Read'], action: 'allow' },
        { match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'] } },
        { match: ['*'], action: 'approve', on_autonomous: 'allow' },
      ],
    };
    const answer = await previewed({ content });
    expect(answer).toMatchObject({
      content: { name: 'draft', approvals: { default_ttl_secs: 600 } },
      autonomy_summary: { permitted: true, default_fallback: 'deny', allow_overrides: 1, deny_overrides: 0 },
      defaults: { tool_action: 'approve' },
      budgets: { max_cost_usd: 2.5 },
      approvals: { scope: 'once' },
      egress: { mode: 'proxy-only' },
    });
    expect(answer.matrix.map(({ tool }) => tool)).toEqual(CANONICAL);
    expect(answer.matrix[0]).toEqual({
      tool: 'Read',
      verdict: 'allow',
      group: 'files',
      server: null,
      status: { status: 'unconditional', action: 'allow', rule: 0 },
    });
    expect(answer.matrix.find(({ tool }) => tool === 'Bash')).toMatchObject({
      verdict: 'require_approval',
      status: { status: 'conditional', constraints: { shell_allow_prefixes: ['ls'], shell_on_no_match: 'approve' } },
    });
    expect(answer).not.toHaveProperty('explain');
    expect(await rowCounts()).toEqual(before);
    for (const name of ['no-such-policy', null, '\ud83d\ude00'])
      expect((await previewed({ content, name })).matrix).toHaveLength(CANONICAL.length);
  });

  it('CP-225 missing or invalid content is 400', async () => {
    for (const body of [
      {},
      { content: null },
      { content: 'name: x' },
      { content: [] },
      { content: {} },
      { content: { name: 'x', extra: 1 } },
      { content: { name: 'x' }, name: 1 },
    ])
      expect((await preview(body)).status).toBe(400);
    const raw = '{"content":{"name":"x","budgets":{"max_tool_calls":1.0}}}';
    expect((await api.call('POST', '/v1/policies/preview', { raw })).body.error).toContain('budgets.max_tool_calls');
  });

  it('CP-226 the name of an existing policy adds the MCP tools of the agents that use it now', async () => {
    await api.post('/v1/policies/clone', { name: 'with-tools' });
    for (const agent of ['one', 'two', 'moved']) await api.post('/v1/agents', { name: agent, policy: 'with-tools' });
    const first = await bundle('kb', 1, 'kb', ['old']);
    const second = await bundle('kb', 2, 'kb', ['find', 'a__b']);
    await revise('one', 'with-tools', [first]);
    await revise('one', 'with-tools', [second]);
    const requirement = { slot: 'jira', required_tools: ['get', 'find'] };
    await revise('two', 'with-tools', [second], [requirement, { slot: 'bare' }]);
    await revise('moved', 'with-tools', [await bundle('gone', 1, 'gone', ['x'])]);
    await revise('moved', 'default', [await bundle('gone', 2, 'gone', ['y'])]);
    const content = { name: 'anything', tools: [{ match: ['mcp__kb__*'], action: 'deny' }] };
    const rows = (await previewed({ content, name: 'with-tools' })).matrix.slice(CANONICAL.length);
    expect(rows.map(({ tool, verdict, group, server }) => [tool, verdict, group, server])).toEqual([
      ['mcp__jira__find', 'require_approval', null, 'jira'],
      ['mcp__jira__get', 'require_approval', null, 'jira'],
      ['mcp__kb__a__b', 'deny', null, 'kb'],
      ['mcp__kb__find', 'deny', null, 'kb'],
    ]);
    expect((await previewed({ content })).matrix).toHaveLength(CANONICAL.length);
    const detail = (await api.get('/v1/policies/with-tools')).body as unknown as Schemas['PolicyDetail'];
    expect(detail.matrix.slice(CANONICAL.length).map(({ tool }) => tool)).toEqual(rows.map(({ tool }) => tool));
  });
});

describe('explaining calls', () => {
  const content = {
    name: 'explained',
    defaults: { tool_action: 'deny' },
    tools: [
      { match: ['Edit', 'Wr*'], action: 'allow', paths: { allow: ['/workspace/**'], deny: ['**/.env'] } },
      {
        match: ['Bash'],
        action: 'allow',
        shell: { allow_prefixes: ['ls', 'git status'], deny_regex: ['\\bcurl\\b'] },
        on_autonomous: 'allow',
      },
    ],
  };
  const explain = async (calls: object[]): Promise<Schemas['ExplainedCall'][]> =>
    (await previewed({ content, calls })).explain ?? [];

  it('CP-225 says which rule, matcher and part of the command or path decided', async () => {
    const [uncovered, curled, written, denied, unknown] = await explain([
      { tool: 'Bash', input: { command: 'ls -la && id' } },
      { tool: 'Bash', input: { command: 'ls; curl http://x' } },
      { tool: 'Write', input: { file_path: 'src/a.ts' } },
      { tool: 'Edit', input: { file_path: '/workspace/a', edits: [{ file_path: '/workspace/x/.env' }] } },
      { tool: 'NewTool' },
    ]);
    expect(uncovered).toMatchObject({
      tool: 'Bash',
      verdict: 'require_approval',
      autonomous_verdict: 'allow',
      reason: expect.stringContaining('`id`') as unknown,
      approval: { ttl_secs: 600, scope: 'once', scope_keys: ['id'], scope_key: 'id' },
      explanation: {
        decided_by: 'no_prefix',
        rule: 1,
        matcher: 'Bash',
        subject: 'id',
        parts: [
          { text: 'ls -la', kind: 'command', subject: 'ls', covered_by: 'ls' },
          { text: 'id', kind: 'command', subject: 'id', covered_by: null },
        ],
      },
    });
    expect(curled).toMatchObject({
      verdict: 'deny',
      autonomous_verdict: 'deny',
      approval: null,
      explanation: { decided_by: 'deny_regex', rule: 1, pattern: '\\bcurl\\b' },
    });
    expect(written).toMatchObject({
      verdict: 'allow',
      reason: null,
      explanation: { decided_by: 'path_allow', rule: 0, matcher: 'Wr*', subject: 'src/a.ts' },
    });
    expect(denied).toMatchObject({
      verdict: 'deny',
      explanation: { decided_by: 'path_deny', rule: 0, pattern: '**/.env', subject: '/workspace/x/.env' },
    });
    expect(unknown).toMatchObject({
      verdict: 'deny',
      reason: 'denied by policy',
      explanation: { decided_by: 'default_action', rule: null, matcher: null },
    });
  });

  it('takes any input, and 1000 calls but not 1001', async () => {
    const odd = [null, 'text', 3, [], { command: 5 }, { command: 'ls', nested: { deep: [1.0] } }];
    expect((await explain(odd.map((input) => ({ tool: 'Bash', input })))).map(({ verdict }) => verdict)).toEqual([
      ...Array<string>(5).fill('require_approval'),
      'allow',
    ]);
    const wide = { tool: 'Bash', input: { command: Array(150).fill('id').join(';') } };
    const listed = (await explain(Array<object>(100).fill(wide))).map(({ explanation }) => explanation);
    expect(listed.reduce((sum, { parts }) => sum + parts.length, 0)).toBe(10_000);
    expect(new Set(listed.map(({ parts, parts_omitted: omitted }) => parts.length + omitted))).toEqual(new Set([150]));
    const calls = Array.from({ length: 1001 }, () => ({ tool: 'Bash', input: { command: 'ls' } }));
    expect(await explain(calls.slice(1))).toHaveLength(1000);
    for (const bad of [calls, 'ls', [{}], [[]], [{ tool: 1 }], ['Bash'], [null]])
      expect((await preview({ content, calls: bad })).status).toBe(400);
    expect((await preview({ content, calls: [] })).body).toMatchObject({ explain: [] });
  });
});
