import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import { definitionDigest } from '../../../src/domain/capabilities/bundle.js';
import type { FrozenBundle } from '../../../src/domain/run/spec.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let counter = 0;
const newName = (): string => `bundle-${(counter += 1)}`;
const server = (name: string, tools = ['search']) => ({
  class: 'sandbox',
  name,
  command: '/opt/sandgate/tools/kb/1.0.0/bin/kb',
  tools: tools.map((tool) => ({ name: tool, description: `does ${tool}`, input_schema: { type: 'object' } })),
});
const publish = (name: string, ...servers: object[]): Promise<Answer> =>
  api.post('/v1/capabilities', { name, servers: servers.length === 0 ? [server(name)] : servers });
const bodyOf = (answer: Answer): Schemas['CapabilityAnswer'] => {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as unknown as Schemas['CapabilityAnswer'];
};
const agentWith = async (...capability_bundles: string[]): Promise<Answer> =>
  api.post('/v1/agents', { name: newName(), harness: 'replay', capability_bundles });
const pinsOf = (answer: Answer): string[] => {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.revision.capability_bundles.map(({ name, version }) => `${name}@${version}`);
};
const run = (agent: string, more: object = {}): Promise<Answer> =>
  api.post('/v1/sessions', { agent, task: '[{"say":"x"}]', ...more });
const frozenOf = (answer: Answer): FrozenBundle[] | undefined => {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.session.run_spec['capabilities'] as FrozenBundle[] | undefined;
};

describe('capability bundles', () => {
  it('CP-094 CP-095 CP-265 CP-328 a bundle is read, bare, as it was stored: by id, name, name@N and version', async () => {
    const name = newName();
    const created = bodyOf(await publish(` ${name} `, server('kb', ['search', 'add'])));
    expect(created).toMatchObject({
      name,
      version: 1,
      description: null,
      tenant_id: api.organizationId,
      servers: [
        { name: 'kb', class: 'sandbox', tool_count: 2, tools: [{ name: 'search', description: 'does search' }, {}] },
      ],
    });
    expect(created.definition.servers[0]).toEqual({ ...server('kb', ['search', 'add']), args: [] });
    expect(created.definition_digest).toBe(definitionDigest(created.definition.servers as FrozenBundle['servers']));
    for (const path of [name, `${name}@1`, created.id, created.id.toUpperCase(), `${name}/versions/1`]) {
      expect(bodyOf(await api.get(`/v1/capabilities/${path}`))).toEqual(created);
    }
    for (const path of [
      'nobody',
      `${name}@2`,
      `${name}@x`,
      `${name}@`,
      uuidv7(),
      `${name}/versions/2`,
      `${name}/versions/x`,
      '%00',
    ]) {
      expect((await api.get(`/v1/capabilities/${path}`)).status).toBe(404);
    }
  });

  it('CP-096 a known name gets its next version, for the same content too, and no earlier one changes', async () => {
    const name = newName();
    const first = bodyOf(await publish(name));
    const second = bodyOf(await publish(name));
    expect([first.version, second.version]).toEqual([1, 2]);
    expect(second.definition_digest).toBe(first.definition_digest);
    bodyOf(await publish(name, server('other')));
    expect(bodyOf(await api.get(`/v1/capabilities/${name}@1`))).toEqual(first);
    expect(bodyOf(await api.get(`/v1/capabilities/${name}`)).version).toBe(3);
    const { bundles } = (await api.get('/v1/capabilities')).body as unknown as Schemas['CapabilityList'];
    expect(bundles.map((bundle) => bundle.name)).toEqual(bundles.map((bundle) => bundle.name).toSorted());
    expect(bundles.filter((bundle) => bundle.name === name)).toMatchObject([
      { version: 3 },
      { version: 2 },
      {
        version: 1,
        server_count: 1,
        tool_count: 1,
        classes: ['sandbox'],
        definition_digest: first.definition_digest,
      },
    ]);
  });

  it('CP-096 twenty creates at once never share a number', async () => {
    const name = newName();
    const versions = await Promise.all(Array.from({ length: 20 }, async () => bodyOf(await publish(name)).version));
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('CP-096 the runtime role can neither change nor delete a version, and the owner is stopped too', async () => {
    const { id } = bodyOf(await publish(newName()));
    for (const sql of [
      `update capability_bundles set name = 'x' where id = $1`,
      'delete from capability_bundles where id = $1',
    ]) {
      await expect(api.db.withTenant(api.organizationId, (tx) => tx.query(sql, [id]))).rejects.toThrow(
        /permission denied/,
      );
      await expect(api.database.owner.query(sql, [id])).rejects.toThrow();
    }
  });

  it('CP-265 a brokered server is refused, saying what brokered tools are now', async () => {
    const answer = await publish(newName(), { class: 'brokered', name: 'crm' });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringMatching(/server crm is brokered; brokered tools are now connection requirements plus snapshots/),
    ]);
  });

  it('refuses what is malformed with 400 and stores nothing', async () => {
    const before = (await api.get('/v1/capabilities')).text;
    for (const body of [
      {},
      { name: 'x' },
      { name: 'x', servers: {} },
      { name: 'x', servers: [{}] },
      { name: 1, servers: [server('a')] },
    ]) {
      expect((await api.post('/v1/capabilities', body)).status).toBe(400);
    }
    expect((await api.get('/v1/capabilities')).text).toBe(before);
    expect((await api.post('/v1/capabilities', { name: 'x' }, { token: null })).status).toBe(401);
  });
});

describe('pins', () => {
  it('CP-087 CP-097 CP-098 CP-099 a bare name pins the newest version now, name@N exactly N, and a pin never floats', async () => {
    const name = newName();
    await publish(name);
    const bare = await agentWith(name);
    expect(pinsOf(bare)).toEqual([`${name}@1`]);
    await publish(name);
    const agent = bare.body.agent.name;
    const [revision] = (await api.get(`/v1/agents/${agent}`)).body.revisions;
    expect(revision?.capability_bundles).toMatchObject([{ name, version: 1 }]);
    const revise = (body: object) => api.post(`/v1/agents/${agent}/revisions`, body);
    expect(pinsOf(await revise({ system_prompt: 'other' }))).toEqual([`${name}@1`]);
    expect(pinsOf(await revise({ capability_bundles: [name] }))).toEqual([`${name}@2`]);
    expect(pinsOf(await revise({ capability_bundles: [`${name}@1`] }))).toEqual([`${name}@1`]);
    expect(pinsOf(await revise({ capability_bundles: [] }))).toEqual([]);
  });

  it('CP-045 what names no bundle is refused and attaches nothing, and no agent is left behind', async () => {
    const name = newName();
    const [first, second] = [newName(), newName()];
    await publish(first, server('same'));
    await publish(second, server('same'));
    for (const [bundles, message] of [
      [['crm-connection'], 'capability_bundles: unknown bundle crm-connection'],
      [[`${first}@9`], `capability_bundles: unknown bundle ${first}@9`],
      [[`${first}@x`], 'the version after @ must be an integer'],
      [[first, `${first}@1`], `capability_bundles: bundle ${first} is named twice`],
      [[first, second], `server name same is in bundle ${first} and in bundle ${second}`],
    ] as const) {
      const answer = await api.post('/v1/agents', { name, capability_bundles: bundles });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await api.get(`/v1/agents/${name}`)).status).toBe(404);
  });
});

describe('what is brokered', () => {
  it('CP-045 is attached by no name in capability_bundles: not its connection, its slot, its connector nor its tools', async () => {
    const [connection, agent] = [uuidv7(), newName()];
    await api.database.owner.query(
      `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind, owner_type)
       values ($1, $2, 'mcp_http', 'crm.example.com', 'crm-service', 'active', 'static', 'organization')`,
      [connection, api.organizationId],
    );
    const requirement = {
      slot: 'crm',
      connector: { url: 'https://crm.example.com/', slug: 'crm-connector' },
      required_tools: ['find'],
      binding_mode: 'organization',
    };
    const created = await api.post('/v1/agents', {
      name: agent,
      harness: 'replay',
      connection_requirements: [requirement],
    });
    expect(pinsOf(created)).toEqual([]);
    for (const name of [
      connection,
      'crm-service',
      'crm',
      'crm-connector',
      'crm.example.com',
      'find',
      'mcp__crm__find',
    ]) {
      const answer = await api.post(`/v1/agents/${agent}/revisions`, { capability_bundles: [name] });
      expect([name, answer.status]).toEqual([name, 400]);
      expect(answer.body.error).toContain('capability_bundles: unknown bundle');
    }
    const brokered = { ...server('crm'), class: 'brokered' };
    expect((await api.post('/v1/capabilities', { name: newName(), servers: [brokered] })).status).toBe(400);
    expect((await api.get(`/v1/agents/${agent}`)).body.revisions).toHaveLength(1);
  });
});

describe('the bundles of a run', () => {
  it('CP-013 CP-040 CP-078 are the pins that the keep-list leaves; unknown names add nothing', async () => {
    const [kb, web] = [newName(), newName()];
    await publish(kb, server('kb', ['search', 'add']));
    await publish(web, server('web'));
    await publish(newName(), server('never-pinned'));
    const agent = (await agentWith(kb, web)).body.agent.name;
    const names = (answer: Answer) => frozenOf(answer)?.map((bundle) => `${bundle.name}@${bundle.version}`);
    const whole = await run(agent);
    expect(names(whole)).toEqual([`${kb}@1`, `${web}@1`]);
    expect(Object.keys(frozenOf(whole)![0]!).toSorted()).toEqual([
      'definition_digest',
      'id',
      'name',
      'servers',
      'version',
    ]);
    expect(names(await run(agent, { capabilities: [web, 'unknown'] }))).toEqual([`${web}@1`]);
    expect(names(await run(agent, { capabilities: null }))).toEqual([`${kb}@1`, `${web}@1`]);
    const stripped = await run(agent, { capabilities: [] });
    expect(Object.keys(stripped.body.session.run_spec)).not.toContain('capabilities');
    const { events } = (await api.get(`/v1/sessions/${whole.body.session.id}/events`)).body;
    expect(events.slice(0, 2).map((event) => event.type)).toEqual(['session.created', 'capability.frozen']);
    expect(events[1]?.payload.data).toEqual({ bundles: [`${kb}@1`, `${web}@1`], tools: 3 });
    expect((await api.get(`/v1/sessions/${stripped.body.session.id}/events`)).text).not.toContain('capability.frozen');
  });

  it('CP-013 keep the definition that was frozen when a newer one is published', async () => {
    const name = newName();
    await publish(name);
    const agent = (await agentWith(name)).body.agent.name;
    const { id, run_spec } = (await run(agent)).body.session;
    await publish(name, server('changed'));
    await api.post(`/v1/agents/${agent}/revisions`, { capability_bundles: [name] });
    expect((await api.get(`/v1/sessions/${id}`)).body.session.run_spec).toEqual(run_spec);
    expect(frozenOf(await run(agent))?.[0]?.servers[0]?.name).toBe('changed');
  });

  it('CP-310 a brokered server in an old bundle refuses the run and says to append a new revision', async () => {
    const name = newName();
    const servers = [{ class: 'brokered', name: 'crm', tools: [] }];
    await api.database.owner.query(
      `insert into capability_bundles (id, tenant_id, name, version, definition, definition_digest) values ($1, $2, $3, 1, $4, 'sha256:old')`,
      [uuidv7(), api.organizationId, name, JSON.stringify({ servers })],
    );
    const agent = (await agentWith(name)).body.agent.name;
    const answer = await run(agent);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringMatching(/capability server crm of bundle .* is brokered, .*append a new revision/),
    ]);
    expect((await run(agent, { capabilities: [] })).status).toBe(200);
  });

  it('a server name that two frozen bundles share refuses the run', async () => {
    const [first, second] = [newName(), newName()];
    await publish(first, server('same'));
    await publish(second, server('own'));
    const created = await agentWith(first, second);
    // A revision of the time before the check, made by hand.
    const other = bodyOf(await publish(second, server('same')));
    const { id } = created.body.agent;
    await api.database.owner.query(
      `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id, capability_bundles)
       select $2, tenant_id, agent_id, 2, harness, model, policy_id, $3 from agent_revisions where agent_id = $1`,
      [
        id,
        uuidv7(),
        JSON.stringify([created.body.revision.capability_bundles[0], { id: other.id, name: second, version: 2 }]),
      ],
    );
    const answer = await run(id);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('server name same is in bundle')]);
  });

  it('bundles that do not fit the environment of the runner refuse the run and name the variable', async () => {
    const name = newName();
    const large = {
      ...server('large'),
      tools: Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, description: 'x'.repeat(32_000) })),
    };
    await publish(name, large);
    const answer = await run((await agentWith(name)).body.agent.name);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('SERVICE_CAPABILITIES')]);
  });
});

describe('variables of an agent', () => {
  it('are shown, inherited, cleared by {} and frozen into the run', async () => {
    const name = newName();
    const created = await api.post('/v1/agents', { name, harness: 'replay', env: { TZ: 'UTC', FEATURE: 'on' } });
    expect(created.body.revision.env).toEqual({ TZ: 'UTC', FEATURE: 'on' });
    expect((await run(name)).body.session.run_spec['env']).toEqual({ TZ: 'UTC', FEATURE: 'on' });
    const revise = async (body: object) => (await api.post(`/v1/agents/${name}/revisions`, body)).body.revision.env;
    expect(await revise({ system_prompt: 'x' })).toEqual({ TZ: 'UTC', FEATURE: 'on' });
    expect(await revise({ env: { TZ: 'CET' } })).toEqual({ TZ: 'CET' });
    expect(await revise({ env: {} })).toEqual({});
    expect(Object.keys((await run(name)).body.session.run_spec)).not.toContain('env');
  });

  it('that are reserved or look like a secret are refused by name, and no agent is left behind', async () => {
    const name = newName();
    for (const [env, message] of [
      [{ LD_PRELOAD: '/x.so' }, 'env.LD_PRELOAD: is reserved'],
      [{ DEPLOY_TOKEN: 'abcdefgh' }, 'env.DEPLOY_TOKEN: looks like a secret'],
      [{ A: 1 }, 'env.A: must be a string'],
    ] as const) {
      const answer = await api.post('/v1/agents', { name, env });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await api.get(`/v1/agents/${name}`)).status).toBe(404);
  });
});
