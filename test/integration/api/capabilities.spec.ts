import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import { definitionDigest } from '../../../src/domain/capabilities/bundle.js';
import type { FrozenBundle } from '../../../src/domain/run/spec.js';
import { type TestApi } from '../../support/api/api.js';
import { BundlesBench, bundleIn, pinsIn, server } from '../../support/api/bundles-bench.js';

let bench: BundlesBench;
let api: TestApi;
beforeAll(async () => {
  bench = await BundlesBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('capability bundles', () => {
  it('CP-094 CP-095 CP-265 CP-328 a bundle is read, bare, as it was stored: by id, name, name@N and version', async () => {
    const name = bench.newName();
    const created = bundleIn(await bench.publish(` ${name} `, server('kb', ['search', 'add'])));
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
      expect(bundleIn(await api.get(`/v1/capabilities/${path}`))).toEqual(created);
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
    const name = bench.newName();
    const first = bundleIn(await bench.publish(name));
    const second = bundleIn(await bench.publish(name));
    expect([first.version, second.version]).toEqual([1, 2]);
    expect(second.definition_digest).toBe(first.definition_digest);
    bundleIn(await bench.publish(name, server('other')));
    expect(bundleIn(await api.get(`/v1/capabilities/${name}@1`))).toEqual(first);
    expect(bundleIn(await api.get(`/v1/capabilities/${name}`)).version).toBe(3);
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
    const name = bench.newName();
    const versions = await Promise.all(
      Array.from({ length: 20 }, async () => bundleIn(await bench.publish(name)).version),
    );
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('CP-096 the runtime role can neither change nor delete a version, and the owner is stopped too', async () => {
    const { id } = bundleIn(await bench.publish(bench.newName()));
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
    const answer = await bench.publish(bench.newName(), { class: 'brokered', name: 'crm' });
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
    const name = bench.newName();
    await bench.publish(name);
    const bare = await bench.agentWith(name);
    expect(pinsIn(bare)).toEqual([`${name}@1`]);
    await bench.publish(name);
    const agent = bare.body.agent.name;
    const [revision] = (await api.get(`/v1/agents/${agent}`)).body.revisions;
    expect(revision?.capability_bundles).toMatchObject([{ name, version: 1 }]);
    const revise = (body: object) => api.post(`/v1/agents/${agent}/revisions`, body);
    expect(pinsIn(await revise({ system_prompt: 'other' }))).toEqual([`${name}@1`]);
    expect(pinsIn(await revise({ capability_bundles: [name] }))).toEqual([`${name}@2`]);
    expect(pinsIn(await revise({ capability_bundles: [`${name}@1`] }))).toEqual([`${name}@1`]);
    expect(pinsIn(await revise({ capability_bundles: [] }))).toEqual([]);
  });

  it('CP-045 what names no bundle is refused and attaches nothing, and no agent is left behind', async () => {
    const name = bench.newName();
    const [first, second] = [bench.newName(), bench.newName()];
    await bench.publish(first, server('same'));
    await bench.publish(second, server('same'));
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
    const [connection, agent] = [uuidv7(), bench.newName()];
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
    expect(pinsIn(created)).toEqual([]);
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
    expect((await api.post('/v1/capabilities', { name: bench.newName(), servers: [brokered] })).status).toBe(400);
    expect((await api.get(`/v1/agents/${agent}`)).body.revisions).toHaveLength(1);
  });
});
