import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { digestOf, digestOfText } from '../../../src/domain/digest/digest.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { type TestApi } from '../../support/api/api.js';
import { ROOT, SessionsBench, TASK } from '../../support/api/sessions-bench.js';

let bench: SessionsBench;
let api: TestApi;
beforeAll(async () => {
  bench = await SessionsBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

type Row = { outcome: string; reason: string; run_spec_digest: string; run_spec: JsonObject; kind: string };
const runSql = (sql: string, params: unknown[] = []) => api.database.owner.query<Row>(sql, params);

describe('creating a run', () => {
  it('CP-008 CP-009 CP-010 CP-011 CP-012 CP-067 CP-068 CP-070 CP-139 CP-175 CP-328 freezes what it was made from', async () => {
    const { body: agent } = await api.post('/v1/agents', {
      name: 'frozen',
      harness: 'replay',
      system_prompt: 'Who I am',
      policy: 'standard',
      budgets: { max_tool_calls: 9, max_cost_usd: 9 },
    });
    const created = await bench.create({
      agent: 'frozen',
      budgets: { max_cost_usd: 1.25, max_tool_calls: 50 },
      labels: { team: 'core' },
    });
    expect(created.status).toBe(200);
    expect(Object.keys(created.body)).toEqual(['session']);
    const { session } = created.body;
    expect(session.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(['created', 'awaiting_authorization', 'queued']).toContain(session.status);
    const policy = (await api.get('/v1/policies/standard')).body;
    expect(session.run_spec).toMatchObject({
      agent_name: 'frozen',
      agent_revision_id: agent.revision.id,
      model: 'none',
      system_prompt: 'Who I am',
      task: TASK,
      workspace: { kind: 'scratch' },
      budgets: { max_tool_calls: 9, max_cost_usd: 1.25 },
      policy_id: policy.id,
      policy_version: 1,
      autonomy: 'supervised',
      network: { schema_version: 1, mode: 'offline' },
    });
    expect(session.run_spec.policy_snapshot).toEqual(policy.content);
    expect(session).toMatchObject({
      task: TASK,
      labels: { team: 'core' },
      repo_source: { kind: 'scratch' },
      trigger: { kind: 'manual', actor: 'operator' },
      invoked_by_kind: 'operator',
      status_reason: null,
      started_at: null,
    });
    expect(session.budgets).toEqual(session.run_spec.budgets);
    expect(session.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('CP-069 the agent is named or given by id', async () => {
    const { agent } = (await api.get('/v1/agents/free')).body;
    expect((await bench.create({ agent: agent.id })).body.session.agent_id).toBe(agent.id);
    expect((await bench.create({ agent: 'free' })).body.session.agent_id).toBe(agent.id);
  });

  it('CP-015 CP-016 CP-019 a later revision or policy changes nothing that exists, and the next run uses it', async () => {
    await api.post('/v1/agents', { name: 'changing', harness: 'replay', system_prompt: 'one' });
    const first = (await bench.create({ agent: 'changing' })).body.session;
    const { revision } = (await api.post('/v1/agents/changing/revisions', { system_prompt: 'two', policy: 'governed' }))
      .body;
    const second = (await bench.create({ agent: 'changing' })).body.session;
    expect([second.agent_revision_id, second.run_spec.system_prompt]).toEqual([revision.id, 'two']);
    expect((await api.get(`/v1/sessions/${first.id}`)).body.session.run_spec).toEqual(first.run_spec);
    await expect(runSql(`update sessions set run_spec = '{}' where id = $1`, [first.id])).rejects.toThrow('frozen');
  });

  it('CP-334 the row carries the digest of the spec, and the ledger the digest of the task, never the task', async () => {
    const { session } = (await bench.create({ agent: 'free' })).body;
    const { rows } = await runSql('select run_spec_digest, run_spec from sessions where id = $1', [session.id]);
    expect(rows[0]?.run_spec_digest).toBe(digestOf(rows[0]?.run_spec));
    const { events } = (await api.get(`/v1/sessions/${session.id}/events`)).body;
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      seq: 1,
      actor: 'system',
      type: 'session.created',
      payload: {
        type: 'session.created',
        data: { agent: 'free', autonomy: 'supervised', task_digest: digestOfText(TASK) },
      },
    });
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  it('CP-071 CP-073 CP-086 the workspace of the request, else of the revision, else an empty folder', async () => {
    await api.post('/v1/agents', {
      name: 'at-home',
      harness: 'replay',
      default_workspace: { kind: 'local_copy', path: `${ROOT}/app` },
    });
    expect((await bench.create({ agent: 'at-home' })).body.session.repo_source).toEqual({
      kind: 'local_copy',
      path: `${ROOT}/app`,
    });
    const git = { kind: 'git_repository', repository: 'acme/app', clone_url: `file://${ROOT}/app`, ref: 'main' };
    expect((await bench.create({ agent: 'at-home', workspace: git })).body.session.repo_source).toEqual({
      ...git,
      checkout_mode: 'writable_copy',
      binding_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect((await bench.create({ agent: 'at-home', repo: { kind: 'none' } })).body.session.repo_source).toEqual({
      kind: 'scratch',
    });
  });

  it('CP-074 CP-075 CP-076 CP-336 budgets only tighten; a wider wish changes nothing', async () => {
    const budgets = { max_cost_usd: 0.000001, max_wall_clock_secs: 60, max_tool_calls: 3, max_tokens: 10 };
    expect((await bench.create({ agent: 'frozen', budgets })).body.session.budgets).toEqual(budgets);
    const wide = (await bench.create({ agent: 'frozen', budgets: { max_tool_calls: 1000 } })).body.session.budgets;
    expect(wide.max_tool_calls).toBe(9);
  });

  it('CP-077 autonomous mode is frozen, and refused when the policy forbids it', async () => {
    expect((await bench.create({ autonomous: true })).body.session.autonomy).toBe('autonomous');
    await runSql(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
       select $1, v.tenant_id, v.policy_id, 2, jsonb_set(v.content, '{autonomy,permitted}', 'false'), 'api'
         from policy_versions v join policies p on p.id = v.policy_id where p.name = 'governed'`,
      [uuidv7()],
    );
    await api.post('/v1/agents', { name: 'guarded', harness: 'replay', policy: 'governed' });
    const refused = await bench.create({ agent: 'guarded', autonomous: true });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'autonomous: the policy of the agent does not permit autonomous runs',
    ]);
    expect((await bench.create({ agent: 'guarded' })).body.session.run_spec.policy_version).toBe(2);
  });

  it('a cost cap on a model without a price is refused unless the request says so', async () => {
    const refused = await bench.create({ agent: 'unpriced' });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatch(/^allow_unpriced: model house-model has no known price/);
    expect((await bench.create({ agent: 'unpriced', allow_unpriced: true })).body.session.run_spec.allow_unpriced).toBe(
      true,
    );
    expect((await bench.create({ agent: 'priced' })).status).toBe(200);
  });

  it.each([
    ['CP-069 an unknown agent', { agent: 'nobody' }, 'agent: unknown agent nobody'],
    ['no agent', { agent: undefined }, 'agent:'],
    ['no task', { task: undefined }, 'task:'],
    ['a task that is no text', { task: 5 }, 'task:'],
    ['an unavailable harness', { agent: 'elsewhere' }, 'agent: harness codex is not available'],
    ['both names of the workspace', { workspace: { kind: 'scratch' }, repo: { kind: 'none' } }, 'workspace and repo'],
    [
      'an unknown connection',
      {
        workspace: { kind: 'git_repository', repository: 'a/b', connection_id: '01900000-0000-7000-8000-000000000000' },
      },
      'unknown connection',
    ],
    [
      'CP-032 a repository at an inside address',
      { workspace: { kind: 'git_repository', clone_url: 'https://169.254.169.254/a/b' } },
      'workspace.clone_url rejected: private/loopback/link-local address',
    ],
    [
      'a repository over plain http',
      { workspace: { kind: 'git_repository', clone_url: 'http://code.example/a/b' } },
      'workspace.clone_url must start with https://',
    ],
    [
      'CP-073 a repository that is no owner/name',
      { workspace: { kind: 'git_repository', repository: 'a', clone_url: `file://${ROOT}/a` } },
      'workspace.repository',
    ],
    ['an unknown slot', { bindings: { mail: '01900000-0000-7000-8000-000000000000' } }, 'bindings: unknown slot mail'],
    ['a network', { network: { mode: 'public' } }, 'network.mode'],
    [
      '17 labels',
      { labels: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`l${i}`, ''])) },
      'labels: must not hold more than 16',
    ],
    ['a label that is no text', { labels: { a: 5 } }, 'labels: must hold strings'],
    ['a label without a name', { labels: { '': 'x' } }, 'labels: must have names'],
    ['an environment above its size', { task: 'ä'.repeat(300_000) }, 'runner environment'],
    ['autonomous as text', { autonomous: 'yes' }, 'autonomous:'],
    ['CP-021 a system prompt that is too long for the runner', { task: 'x'.repeat(524_289) }, 'task:'],
  ])('CP-176 CP-300 CP-329 %s is refused with 400 and creates nothing', async (_what, body, reason) => {
    const before = await bench.count();
    const answer = await bench.create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(reason);
    expect(await bench.count()).toBe(before);
  });

  it('CP-021 system_prompt is no member of a run', async () => {
    const answer = await bench.create({ system_prompt: 'other' });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining('system_prompt: is not a member of this request'),
    ]);
    expect((await bench.create({})).body.session.run_spec.system_prompt).toBeNull();
  });

  it('leaves a wake-up for the driver in the same transaction', async () => {
    const { session } = (await bench.create({})).body;
    const { rows } = await runSql('select kind from driver_outbox where subject_id = $1', [session.id]);
    expect(rows).toEqual([{ kind: 'created' }]);
  });
});

describe('Idempotency-Key', () => {
  it('CP-331 CP-304 the same body gives the same run again, another body 409', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const first = await bench.create({ labels: { n: '1' } }, headers);
    const again = await api.post('/v1/sessions', undefined, {
      headers,
      raw: JSON.stringify({ labels: { n: '1' }, task: TASK, agent: 'free' }, null, 2),
    });
    expect(again.body.session.id).toBe(first.body.session.id);
    const other = await bench.create({ labels: { n: '2' } }, headers);
    expect([other.status, other.body.error]).toEqual([409, 'Idempotency-Key: was used with another body']);
    expect((await bench.create({ labels: { n: '1' } }, { 'idempotency-key': 'key-2' })).body.session.id).not.toBe(
      first.body.session.id,
    );
  });

  it('CP-331 of 20 requests at once one run arises', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bench.create({}, { 'idempotency-key': 'key-3' })),
    );
    expect(new Set(answers.map((answer) => answer.body.session.id)).size).toBe(1);
  });

  it('CP-331 a refused creation frees its key', async () => {
    const headers = { 'idempotency-key': 'key-4' };
    expect((await bench.create({ agent: 'nobody' }, headers)).status).toBe(400);
    expect((await bench.create({}, headers)).status).toBe(200);
    expect((await bench.create({}, { 'idempotency-key': 'k'.repeat(201) })).status).toBe(400);
  });
});
