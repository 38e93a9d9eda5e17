import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ ANTHROPIC_API_KEY: 'test-key', SERVICE_MODELS_BUILTIN: 'house-model' });
});
afterAll(() => api.close());

let counter = 0;
const newName = (): string => `agent-${(counter += 1)}`;
const names = async (): Promise<string[]> =>
  (await api.get('/v1/agents')).body.agents.map((agent: { name: string }) => agent.name);

describe('agents', () => {
  it('CP-003 CP-081 CP-083 CP-084 CP-085 CP-086 CP-206 CP-209 CP-328 an agent is read as it was stored, by id and by name', async () => {
    const name = newName();
    const created = await api.post('/v1/agents', {
      name,
      description: 'Repairs',
      harness: 'builtin',
      model: 'house-model',
      system_prompt: 'Be brief.',
      policy: 'governed',
      budgets: { max_cost_usd: 0.5, max_tool_calls: 7 },
      default_workspace: { kind: 'local_copy', path: '/srv/app' },
      sandbox: { memory_mb: 512 },
    });
    expect(created.status).toBe(200);
    const { agent, revision } = created.body;
    expect(Object.keys(created.body)).toEqual(['agent', 'revision']);
    expect(agent).toMatchObject({ name, description: 'Repairs' });
    expect(revision).toMatchObject({
      agent_id: agent.id,
      rev: 1,
      harness: 'builtin',
      model: 'house-model',
      system_prompt: 'Be brief.',
      policy: 'governed',
      budgets: { max_cost_usd: 0.5, max_tool_calls: 7, max_tokens: null, max_wall_clock_secs: null },
      default_workspace: { kind: 'local_copy', path: '/srv/app' },
      capability_bundles: [],
      connection_requirements: [],
      sandbox: { memory_mb: 512 },
    });
    for (const key of [agent.id, name]) {
      const read = await api.get(`/v1/agents/${key}`);
      expect([read.status, read.body]).toEqual([200, { agent, revisions: [revision] }]);
    }
    expect((await api.get('/v1/agents/nobody')).status).toBe(404);
  });

  it('CP-205 agents are listed by name, and limit cuts', async () => {
    const all = await names();
    expect(all).toEqual([...all].sort());
    expect((await api.get('/v1/agents?limit=1')).body.agents).toHaveLength(1);
  });

  it('CP-085 budgets that nobody names are the defaults', async () => {
    const { revision } = (await api.post('/v1/agents', { name: newName() })).body;
    expect(revision).toMatchObject({
      harness: 'replay',
      model: 'none',
      policy: 'default',
      budgets: { max_wall_clock_secs: 1800, max_tokens: 1_000_000, max_cost_usd: 2.5, max_tool_calls: 100 },
    });
  });

  it.each([
    ['no name', {}, 'name:'],
    ['a name with a space', { name: 'a b' }, 'name:'],
    ['a name that no address can hold', { name: '..' }, 'name: must be 1 to 64 of A-Z a-z 0-9 . _ -, and not . or ..'],
    ['a name like an id', { name: '01900000-0000-7000-8000-000000000000' }, 'name:'],
    [
      'CP-082 an unknown harness',
      { name: 'x', harness: 'nothing' },
      'harness: unknown harness nothing; known are builtin, replay, claude-agent-sdk, codex',
    ],
    ['CP-083 a model of another harness', { name: 'x', harness: 'builtin', model: 'gpt-5.4' }, 'model:'],
    ['CP-083 a model for replay', { name: 'x', harness: 'replay', model: 'claude-haiku-4-5' }, 'model:'],
    ['CP-084 an unknown policy', { name: 'x', policy: 'nothing' }, 'policy: unknown policy nothing'],
    ['CP-085 a negative budget', { name: 'x', budgets: { max_cost_usd: -1 } }, 'budgets.max_cost_usd:'],
    [
      'CP-086 an unknown kind of workspace',
      { name: 'x', default_workspace: { kind: 'zip' } },
      'default_workspace.kind',
    ],
    ['an unknown bundle', { name: 'x', capability_bundles: ['b@1'] }, 'capability_bundles: unknown bundle b@1'],
    ['a sandbox above the maximum', { name: 'x', sandbox: { memory_mb: 1_000_000 } }, 'sandbox.memory_mb:'],
    ['a network', { name: 'x', network: { mode: 'public' } }, 'network.mode:'],
    ['CP-021 a budget that is no object', { name: 'x', budgets: 5 }, 'budgets:'],
  ])('CP-176 CP-207 CP-300 CP-329 %s is refused with 400 and leaves no agent', async (_what, body, reason) => {
    const before = await names();
    const answer = await api.post('/v1/agents', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(reason);
    expect(await names()).toEqual(before);
  });

  it('CP-207 CP-304 a name that is taken is 409 and changes nothing', async () => {
    const name = newName();
    await api.post('/v1/agents', { name, description: 'first' });
    const again = await api.post('/v1/agents', { name, description: 'second' });
    expect([again.status, again.body.error]).toEqual([
      409,
      `name: an agent named ${name} exists; append a revision instead`,
    ]);
    const read = (await api.get(`/v1/agents/${name}`)).body;
    expect([read.agent.description, read.revisions.length]).toEqual(['first', 1]);
  });

  it('CP-021 task is no member of an agent, and is not kept', async () => {
    const answer = await api.post('/v1/agents', { name: newName(), task: 'do it' });
    expect(JSON.stringify(answer.body)).not.toContain('do it');
  });
});

describe('revisions', () => {
  it('CP-018 CP-089 CP-090 CP-210 inherit what is left out, and the earlier ones stay', async () => {
    const name = newName();
    const first = (
      await api.post('/v1/agents', {
        name,
        harness: 'builtin',
        system_prompt: 'one',
        policy: 'standard',
        default_workspace: { kind: 'local_copy', path: '/srv' },
      })
    ).body.revision;
    const second = (await api.post(`/v1/agents/${name}/revisions`, { system_prompt: 'two' })).body.revision;
    expect(second).toMatchObject({
      rev: 2,
      harness: 'builtin',
      model: first.model,
      system_prompt: 'two',
      policy: 'standard',
      default_workspace: { kind: 'local_copy', path: '/srv' },
    });
    const third = (
      await api.post(`/v1/agents/${name}/revisions`, {
        harness: 'replay',
        default_workspace: { kind: 'scratch' },
        capability_bundles: [],
        connection_requirements: [],
      })
    ).body.revision;
    expect(third).toMatchObject({
      rev: 3,
      harness: 'replay',
      model: 'none',
      system_prompt: 'two',
      default_workspace: null,
      capability_bundles: [],
    });
    const same = await api.post(`/v1/agents/${name}/revisions`, { name });
    expect(same.body.revision.rev).toBe(4);
    const read = (await api.get(`/v1/agents/${name}`)).body.revisions;
    expect(read.map((revision: { rev: number }) => revision.rev)).toEqual([4, 3, 2, 1]);
    expect(read[3]).toEqual(first);
  });

  it('CP-211 an invalid body is 400, an unknown agent 404', async () => {
    const name = newName();
    await api.post('/v1/agents', { name });
    for (const body of [
      { harness: 'nothing' },
      { policy: 'nothing' },
      { name: 'other' },
      { description: 5 },
      { budgets: { max_tokens: 'x' } },
    ]) {
      expect((await api.post(`/v1/agents/${name}/revisions`, body)).status).toBe(400);
    }
    expect((await api.get(`/v1/agents/${name}`)).body.revisions).toHaveLength(1);
    expect((await api.post('/v1/agents/nobody/revisions', {})).status).toBe(404);
    expect((await api.post('/v1/agents/nobody/revisions', {}, { token: null })).status).toBe(401);
  });

  it('CP-003 CP-089 CP-090 may describe the agent anew; what earlier ones said stays readable', async () => {
    const name = newName();
    await api.post('/v1/agents', { name, description: 'mends' });
    const revise = async (body: object) => (await api.post(`/v1/agents/${name}/revisions`, body)).body.revision;
    expect((await revise({ system_prompt: 'one' })).description).toBe('mends');
    expect((await revise({ description: 'mends and explains' })).description).toBe('mends and explains');
    expect((await revise({ description: null })).description).toBe('mends and explains');
    const read = (await api.get(`/v1/agents/${name}`)).body;
    expect(read.agent.description).toBe('mends and explains');
    expect(read.revisions.map(({ description }) => description)).toEqual([
      'mends and explains',
      'mends and explains',
      'mends',
      'mends',
    ]);
    const listed = async () => (await api.get('/v1/agents')).body.agents.find((agent) => agent.name === name);
    expect((await listed())?.description).toBe('mends and explains');
    expect((await revise({ description: '' })).description).toBe('');
    expect((await listed())?.description).toBe('');
    const undescribed = newName();
    await api.post('/v1/agents', { name: undescribed });
    await api.post(`/v1/agents/${undescribed}/revisions`, { description: 'finds' });
    expect((await api.get(`/v1/agents/${undescribed}`)).body.agent.description).toBe('finds');
  });

  it('CP-090 everything that a revision can say is inherited when left out, and each list can be emptied', async () => {
    const bundle = {
      name: 'inherited',
      servers: [{ class: 'sandbox', name: 'inh', command: 'node', tools: [{ name: 't' }] }],
    };
    await api.post('/v1/capabilities', bundle);
    const requirement = {
      slot: 'kb',
      connector: { url: 'https://mcp.example.com/' },
      required_tools: ['find'],
      binding_mode: 'organization',
    };
    const name = newName();
    const first = (
      await api.post('/v1/agents', {
        name,
        description: 'mends',
        harness: 'builtin',
        model: 'claude-haiku-4-5',
        runner_image: 'image-1',
        system_prompt: 'one',
        policy: 'standard',
        budgets: { max_tool_calls: 7 },
        default_workspace: { kind: 'local_copy', path: '/srv' },
        capability_bundles: ['inherited'],
        connection_requirements: [requirement],
        network: { mode: 'offline' },
        setup: { commands: ['npm ci'] },
        sandbox: { memory_mb: 512 },
        env: { SHOWN: 'yes' },
      })
    ).body.revision;
    // A member that the test leaves unset could be lost without notice.
    for (const [member, value] of Object.entries(first)) expect([member, value]).not.toEqual([member, null]);
    const said = ({ id: _id, rev: _rev, created_at: _at, ...members }: typeof first): object => members;
    const second = (await api.post(`/v1/agents/${name}/revisions`, {})).body.revision;
    expect(said(second)).toEqual(said(first));
    const third = (
      await api.post(`/v1/agents/${name}/revisions`, { capability_bundles: [], connection_requirements: [] })
    ).body.revision;
    expect(said(third)).toEqual({ ...said(first), capability_bundles: [], connection_requirements: [] });
    const fourth = (await api.post(`/v1/agents/${name}/revisions`, {})).body.revision;
    expect(said(fourth)).toEqual(said(third));
  });

  it('CP-018 no route edits or deletes a revision, and the database refuses it', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await api.call(method, '/v1/agents/fixer')).status).toBe(405);
    await expect(
      api.db.withTenant(api.organizationId, (tx) => tx.query(`update agent_revisions set model = 'x'`)),
    ).rejects.toThrow();
  });

  it('appended at once take turns', async () => {
    const name = newName();
    await api.post('/v1/agents', { name });
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.post(`/v1/agents/${name}/revisions`, {})));
    expect(answers.map((answer) => answer.body.revision.rev).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 2),
    );
  });
});

describe('harnesses', () => {
  it('CP-138 CP-171 the catalog says what is available, and why not', async () => {
    const { harnesses } = (await api.get('/v1/harnesses')).body;
    const byId = Object.fromEntries(harnesses.map((harness) => [harness.id, harness]));
    expect(Object.keys(byId)).toEqual(['builtin', 'replay', 'claude-agent-sdk', 'codex']);
    for (const harness of harnesses) {
      expect(harness.models).toContain(harness.default_model);
      expect(harness.available).toBe(harness.unavailable_reason === null);
    }
    expect(byId['builtin']?.models).toContain('house-model');
    expect(byId['builtin']?.available).toBe(true);
    expect(byId['replay']).toMatchObject({ models: ['none'], default_model: 'none', available: true });
  });
});
