import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let counter = 0;
const made = async (): Promise<string> => {
  const name = `policy-${(counter += 1)}`;
  expect((await api.post('/v1/policies', { name, yaml: `name: ${name}` })).status).toBe(200);
  return name;
};
const remove = (name: string): Promise<Answer> => api.call('DELETE', `/v1/policies/${name}`);
const count = async (table: string, name: string): Promise<number> => {
  const { rows } = await api.database.owner.query<{ count: string }>(
    table === 'policies'
      ? 'select count(*) from policies where name = $1'
      : 'select count(*) from policy_versions v where v.content ->> $$name$$ = $1',
    [name],
  );
  return Number(rows[0]?.count);
};

/** Until another transaction stands before a lock of this database. */
async function untilSomebodyWaits(): Promise<void> {
  const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await api.database.owner.query(sql)).rowCount === 0);
}

describe('deleting a policy', () => {
  it('CP-216 CP-217 erases the identity with its versions, and a repetition finds nothing', async () => {
    const name = await made();
    const before = (await api.get(`/v1/policies/${name}`)).body.id;
    const answer = await remove(name);
    expect([answer.status, answer.body]).toEqual([200, { deleted: true }]);
    expect([await count('policies', name), await count('versions', name)]).toEqual([0, 0]);
    expect((await remove(name)).status).toBe(404);
    expect((await api.get(`/v1/policies/${name}/versions/1`)).status).toBe(404);
    const again = (await api.post('/v1/policies', { name, yaml: `name: ${name}` })).body;
    expect(again).toMatchObject({ version: 1, appended: true });
    expect(again.id).not.toBe(before);
  });

  it('CP-217 is 409 while any revision names it, a historical one too', async () => {
    const name = await made();
    await api.post('/v1/agents', { name: `agent-${name}`, policy: name });
    expect((await remove(name)).body.error).toContain('1 agent revision ');
    await api.post(`/v1/agents/agent-${name}/revisions`, {});
    await api.post(`/v1/agents/agent-${name}/revisions`, { policy: 'default' });
    const answer = await remove(name);
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('2 agent revision')]);
    expect((await api.get(`/v1/policies/${name}`)).status).toBe(200);
    expect((await remove('default')).status).toBe(409);
  });

  it('CP-217 and a revision created at the same moment take turns: one of them loses', async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < 25; round += 1) {
      const name = await made();
      const agent = `agent-${name}`;
      const [created, deleted] = await Promise.all([
        api.post('/v1/agents', { name: agent, policy: name }),
        remove(name),
      ]);
      outcomes.push(`${created.status} ${deleted.status}`);
      const exists = (await api.get(`/v1/agents/${agent}`)).status === 200;
      expect([exists, await count('policies', name)]).toEqual(created.status === 200 ? [true, 1] : [false, 0]);
      if (created.status !== 200) expect(created.body.error).toBe(`policy: unknown policy ${name}`);
    }
    expect(outcomes.filter((outcome) => outcome !== '200 409' && outcome !== '400 200')).toEqual([]);
  });

  it('CP-217 waits for a revision that is not committed yet, and then sees it', async () => {
    const name = await made();
    let deleted: Promise<Answer> | undefined;
    await api.db.withTenant(api.organizationId, async (tx) => {
      await tx.query(
        `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id)
         select gen_random_uuid(), a.tenant_id, a.id, 100, 'replay', 'none', p.id from agents a, policies p where a.name = 'fixer' and p.name = $1`,
        [name],
      );
      deleted = remove(name);
      await untilSomebodyWaits();
    });
    expect((await deleted)?.status).toBe(409);
  });

  it('CP-217 a revision that waits for a deletion finds no policy afterwards', async () => {
    const name = await made();
    let created: Promise<Answer> | undefined;
    await api.db.withTenant(api.organizationId, async (tx) => {
      await tx.query('delete from policies where name = $1', [name]);
      created = api.post('/v1/agents', { name: `late-${name}`, policy: name });
      await untilSomebodyWaits();
    });
    const answer = await created;
    expect([answer?.status, answer?.body.error]).toEqual([400, `policy: unknown policy ${name}`]);
  });
});

describe('runs that exist', () => {
  it('CP-017 CP-216 keep their snapshot through publish, import, revert and deletion', async () => {
    const name = await made();
    await api.post('/v1/agents', { name: 'keeper', policy: name });
    const first = (await api.get(`/v1/policies/${name}`)).body;
    const { session } = (await api.post('/v1/sessions', { agent: 'keeper', task: '[]' })).body;
    expect(session.run_spec).toMatchObject({ policy_id: first.id, policy_version: 1, policy_snapshot: first.content });

    const content = { name, tools: [{ match: ['Read'], action: 'deny' }] };
    await api.post(`/v1/policies/${name}/publish`, { content, summary: 's', base_version: 1 });
    await api.post('/v1/policies', { name, yaml: `name: ${name}\ndefaults: {tool_action: deny}` });
    await api.post(`/v1/policies/${name}/revert`, { version: 2, base_version: 3 });
    const later = (await api.post('/v1/sessions', { agent: 'keeper', task: '[]' })).body.session;
    const head = (await api.get(`/v1/policies/${name}`)).body;
    expect([later.run_spec['policy_version'], later.run_spec['policy_snapshot']]).toEqual([4, head.content]);
    expect((await api.get(`/v1/sessions/${session.id}`)).body.session.run_spec).toEqual(session.run_spec);

    // While revisions are never deleted no policy of a run can be; even then the run has its own copy.
    await api.database.owner.query('alter table agent_revisions disable trigger user');
    await api.database.owner.query(
      'update agent_revisions set policy_id = (select id from policies where name = $1 limit 1) where policy_id = $2',
      ['governed', first.id],
    );
    await api.database.owner.query('alter table agent_revisions enable trigger user');
    expect((await remove(name)).status).toBe(200);
    expect((await api.get(`/v1/sessions/${session.id}`)).body.session.run_spec).toEqual(session.run_spec);
  });
});
