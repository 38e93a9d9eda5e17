import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type Answer, type TestApi } from '../../support/api/api.js';
import { BundlesBench, bundleIn, bundlesIn, server } from '../../support/api/bundles-bench.js';

let bench: BundlesBench;
let api: TestApi;
beforeAll(async () => {
  bench = await BundlesBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('the bundles of a run', () => {
  it('CP-013 CP-040 CP-078 are the pins that the keep-list leaves; unknown names add nothing', async () => {
    const [kb, web] = [bench.newName(), bench.newName()];
    await bench.publish(kb, server('kb', ['search', 'add']));
    await bench.publish(web, server('web'));
    await bench.publish(bench.newName(), server('never-pinned'));
    const agent = (await bench.agentWith(kb, web)).body.agent.name;
    const names = (answer: Answer) => bundlesIn(answer)?.map((bundle) => `${bundle.name}@${bundle.version}`);
    const whole = await bench.run(agent);
    expect(names(whole)).toEqual([`${kb}@1`, `${web}@1`]);
    expect(Object.keys(bundlesIn(whole)![0]!).toSorted()).toEqual([
      'definition_digest',
      'id',
      'name',
      'servers',
      'version',
    ]);
    expect(names(await bench.run(agent, { capabilities: [web, 'unknown'] }))).toEqual([`${web}@1`]);
    expect(names(await bench.run(agent, { capabilities: null }))).toEqual([`${kb}@1`, `${web}@1`]);
    const stripped = await bench.run(agent, { capabilities: [] });
    expect(Object.keys(stripped.body.session.run_spec)).not.toContain('capabilities');
    const { events } = (await api.get(`/v1/sessions/${whole.body.session.id}/events`)).body;
    expect(events.slice(0, 2).map((event) => event.type)).toEqual(['session.created', 'capability.frozen']);
    expect(events[1]?.payload.data).toEqual({ bundles: [`${kb}@1`, `${web}@1`], tools: 3 });
    expect((await api.get(`/v1/sessions/${stripped.body.session.id}/events`)).text).not.toContain('capability.frozen');
  });

  it('CP-013 keep the definition that was frozen when a newer one is published', async () => {
    const name = bench.newName();
    await bench.publish(name);
    const agent = (await bench.agentWith(name)).body.agent.name;
    const { id, run_spec } = (await bench.run(agent)).body.session;
    await bench.publish(name, server('changed'));
    await api.post(`/v1/agents/${agent}/revisions`, { capability_bundles: [name] });
    expect((await api.get(`/v1/sessions/${id}`)).body.session.run_spec).toEqual(run_spec);
    expect(bundlesIn(await bench.run(agent))?.[0]?.servers[0]?.name).toBe('changed');
  });

  it('CP-310 a brokered server in an old bundle refuses the run and says to append a new revision', async () => {
    const name = bench.newName();
    const servers = [{ class: 'brokered', name: 'crm', tools: [] }];
    await api.database.owner.query(
      `insert into capability_bundles (id, tenant_id, name, version, definition, definition_digest) values ($1, $2, $3, 1, $4, 'sha256:old')`,
      [uuidv7(), api.organizationId, name, JSON.stringify({ servers })],
    );
    const agent = (await bench.agentWith(name)).body.agent.name;
    const answer = await bench.run(agent);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringMatching(/capability server crm of bundle .* is brokered, .*append a new revision/),
    ]);
    expect((await bench.run(agent, { capabilities: [] })).status).toBe(200);
  });

  it('a server name that two frozen bundles share refuses the run', async () => {
    const [first, second] = [bench.newName(), bench.newName()];
    await bench.publish(first, server('same'));
    await bench.publish(second, server('own'));
    const created = await bench.agentWith(first, second);
    // A revision of the time before the check, made by hand.
    const other = bundleIn(await bench.publish(second, server('same')));
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
    const answer = await bench.run(id);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('server name same is in bundle')]);
  });

  it('bundles that do not fit the environment of the runner refuse the run and name the variable', async () => {
    const name = bench.newName();
    const large = {
      ...server('large'),
      tools: Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, description: 'x'.repeat(32_000) })),
    };
    await bench.publish(name, large);
    const answer = await bench.run((await bench.agentWith(name)).body.agent.name);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('SERVICE_CAPABILITIES')]);
  });
});

describe('variables of an agent and of its runs', () => {
  it('are shown, inherited, cleared by {} and frozen into the run', async () => {
    const name = bench.newName();
    const created = await api.post('/v1/agents', { name, harness: 'replay', env: { TZ: 'UTC', FEATURE: 'on' } });
    expect(created.body.revision.env).toEqual({ TZ: 'UTC', FEATURE: 'on' });
    expect((await bench.run(name)).body.session.run_spec['env']).toEqual({ TZ: 'UTC', FEATURE: 'on' });
    const revise = async (body: object) => (await api.post(`/v1/agents/${name}/revisions`, body)).body.revision.env;
    expect(await revise({ system_prompt: 'x' })).toEqual({ TZ: 'UTC', FEATURE: 'on' });
    expect(await revise({ env: { TZ: 'CET' } })).toEqual({ TZ: 'CET' });
    expect(await revise({ env: {} })).toEqual({});
    expect(Object.keys((await bench.run(name)).body.session.run_spec)).not.toContain('env');
  });

  it('that are reserved or look like a secret are refused by name, and no agent is left behind', async () => {
    const name = bench.newName();
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
