import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { digestOf, digestOfText } from '../../../src/domain/digest/digest.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { createRun } from '../../support/runs/run-fixture.js';

const ROOT = '/srv/code';
const TASK = '[{"tool":"Bash","input":{"command":"canary-of-the-task"}}]';
let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    SERVICE_LOCAL_COPY_ROOTS: ROOT,
    SERVICE_MODELS_BUILTIN: 'house-model',
    SERVICE_LLM_UPSTREAM_URL: 'http://127.0.0.1:9',
    SERVICE_LLM_UPSTREAM_KEY: 'k',
  });
  await api.post('/v1/agents', { name: 'free', harness: 'replay', policy: 'unrestricted', budgets: {} });
  await api.post('/v1/agents', { name: 'priced', harness: 'builtin', model: 'claude-haiku-4-5' });
  await api.post('/v1/agents', { name: 'unpriced', harness: 'builtin', model: 'house-model' });
  await api.post('/v1/agents', { name: 'elsewhere', harness: 'codex' });
});
afterAll(() => api.close());

const create = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  api.post('/v1/sessions', { agent: 'free', task: TASK, ...body }, { headers });
const count = async (): Promise<number> => (await api.get('/v1/sessions?limit=1000')).body.sessions.length;
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
    const created = await create({
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
    expect((await create({ agent: agent.id })).body.session.agent_id).toBe(agent.id);
    expect((await create({ agent: 'free' })).body.session.agent_id).toBe(agent.id);
  });

  it('CP-015 CP-016 CP-019 a later revision or policy changes nothing that exists, and the next run uses it', async () => {
    await api.post('/v1/agents', { name: 'changing', harness: 'replay', system_prompt: 'one' });
    const first = (await create({ agent: 'changing' })).body.session;
    const { revision } = (await api.post('/v1/agents/changing/revisions', { system_prompt: 'two', policy: 'governed' }))
      .body;
    const second = (await create({ agent: 'changing' })).body.session;
    expect([second.agent_revision_id, second.run_spec.system_prompt]).toEqual([revision.id, 'two']);
    expect((await api.get(`/v1/sessions/${first.id}`)).body.session.run_spec).toEqual(first.run_spec);
    await expect(runSql(`update sessions set run_spec = '{}' where id = $1`, [first.id])).rejects.toThrow('frozen');
  });

  it('CP-334 the row carries the digest of the spec, and the ledger the digest of the task, never the task', async () => {
    const { session } = (await create({ agent: 'free' })).body;
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
    expect((await create({ agent: 'at-home' })).body.session.repo_source).toEqual({
      kind: 'local_copy',
      path: `${ROOT}/app`,
    });
    const git = { kind: 'git_repository', repository: 'acme/app', clone_url: `file://${ROOT}/app`, ref: 'main' };
    expect((await create({ agent: 'at-home', workspace: git })).body.session.repo_source).toEqual({
      ...git,
      checkout_mode: 'writable_copy',
      binding_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect((await create({ agent: 'at-home', repo: { kind: 'none' } })).body.session.repo_source).toEqual({
      kind: 'scratch',
    });
  });

  it('CP-074 CP-075 CP-076 CP-336 budgets only tighten; a wider wish changes nothing', async () => {
    const budgets = { max_cost_usd: 0.000001, max_wall_clock_secs: 60, max_tool_calls: 3, max_tokens: 10 };
    expect((await create({ agent: 'frozen', budgets })).body.session.budgets).toEqual(budgets);
    const wide = (await create({ agent: 'frozen', budgets: { max_tool_calls: 1000 } })).body.session.budgets;
    expect(wide.max_tool_calls).toBe(9);
  });

  it('CP-077 autonomous mode is frozen, and refused when the policy forbids it', async () => {
    expect((await create({ autonomous: true })).body.session.autonomy).toBe('autonomous');
    await runSql(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
       select $1, v.tenant_id, v.policy_id, 2, jsonb_set(v.content, '{autonomy,permitted}', 'false'), 'api'
         from policy_versions v join policies p on p.id = v.policy_id where p.name = 'governed'`,
      [uuidv7()],
    );
    await api.post('/v1/agents', { name: 'guarded', harness: 'replay', policy: 'governed' });
    const refused = await create({ agent: 'guarded', autonomous: true });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'autonomous: the policy of the agent does not permit autonomous runs',
    ]);
    expect((await create({ agent: 'guarded' })).body.session.run_spec.policy_version).toBe(2);
  });

  it('a cost cap on a model without a price is refused unless the request says so', async () => {
    const refused = await create({ agent: 'unpriced' });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatch(/^allow_unpriced: model house-model has no known price/);
    expect((await create({ agent: 'unpriced', allow_unpriced: true })).body.session.run_spec.allow_unpriced).toBe(true);
    expect((await create({ agent: 'priced' })).status).toBe(200);
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
    const before = await count();
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(reason);
    expect(await count()).toBe(before);
  });

  it('CP-021 system_prompt is no member of a run', async () => {
    const answer = await create({ system_prompt: 'other' });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining('system_prompt: is not a member of this request'),
    ]);
    expect((await create({})).body.session.run_spec.system_prompt).toBeNull();
  });

  it('leaves a wake-up for the driver in the same transaction', async () => {
    const { session } = (await create({})).body;
    const { rows } = await runSql('select kind from driver_outbox where session_id = $1', [session.id]);
    expect(rows).toEqual([{ kind: 'created' }]);
  });
});

describe('Idempotency-Key', () => {
  it('CP-331 CP-304 the same body gives the same run again, another body 409', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const first = await create({ labels: { n: '1' } }, headers);
    const again = await api.post('/v1/sessions', undefined, {
      headers,
      raw: JSON.stringify({ labels: { n: '1' }, task: TASK, agent: 'free' }, null, 2),
    });
    expect(again.body.session.id).toBe(first.body.session.id);
    const other = await create({ labels: { n: '2' } }, headers);
    expect([other.status, other.body.error]).toEqual([409, 'Idempotency-Key: was used with another body']);
    expect((await create({ labels: { n: '1' } }, { 'idempotency-key': 'key-2' })).body.session.id).not.toBe(
      first.body.session.id,
    );
  });

  it('CP-331 of 20 requests at once one run arises', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({}, { 'idempotency-key': 'key-3' })));
    expect(new Set(answers.map((answer) => answer.body.session.id)).size).toBe(1);
  });

  it('CP-331 a refused creation frees its key', async () => {
    const headers = { 'idempotency-key': 'key-4' };
    expect((await create({ agent: 'nobody' }, headers)).status).toBe(400);
    expect((await create({}, headers)).status).toBe(200);
    expect((await create({}, { 'idempotency-key': 'k'.repeat(201) })).status).toBe(400);
  });
});

describe('reading runs', () => {
  it('CP-080 CP-180 CP-184 CP-328 CP-336 usage is one shape, in the read and bare in the cost answer', async () => {
    const { session } = (await create({})).body;
    await runSql(
      `insert into usage_entries (id, tenant_id, session_id, external_id, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, source)
       values ($1, $2, $3, $1, 'm', 10, 20, 30, 40, 123456, 'facade'), ($4, $2, $3, $4, 'm', 1, 2, 3, 4, null, 'facade')`,
      [uuidv7(), api.organizationId, session.id, uuidv7()],
    );
    await runSql(
      `insert into llm_reservations (id, tenant_id, session_id, state, input_tokens, output_tokens, cost_micros, process_id, expires_at)
       values ($1, $2, $3, 'unreported', 5, 5, 2500, $1, now()), ($4, $2, $3, 'charged', 5, 5, 9000, $1, now())`,
      [uuidv7(), api.organizationId, session.id, uuidv7()],
    );
    const usage = {
      input_tokens: 11,
      output_tokens: 22,
      cache_read_tokens: 33,
      cache_write_tokens: 44,
      cost_usd: 0.123456,
      requests: 2,
      tool_calls: 0,
      unreported_requests: 1,
      reserved_cost_usd: 0.0025,
    };
    const cost = await api.get(`/v1/sessions/${session.id}/cost`);
    expect([cost.status, cost.body]).toEqual([200, usage]);
    const read = (await api.get(`/v1/sessions/${session.id}`)).body;
    expect(Object.keys(read)).toEqual(['session', 'usage']);
    expect(read.usage).toEqual(usage);
  });

  it('CP-180 CP-184 a run that is unknown, or of another organization, is 404 and says nothing of itself', async () => {
    const foreign = await createRun(api.db);
    const { session } = (await create({})).body;
    const stranger = await api.users.add(api.db, foreign.organizationId, 'owner');
    for (const part of ['', '/cost']) {
      for (const [id, caller] of [
        [foreign.sessionId, {}],
        [session.id, stranger],
        [uuidv7(), {}],
        ['nothing', {}],
      ] as const) {
        const answer = await api.get(`/v1/sessions/${id}${part}`, caller);
        expect([part, answer.status, Object.keys(answer.body)]).toEqual([part, 404, ['error']]);
        expect(answer.text).not.toContain(id);
      }
      expect((await api.get(`/v1/sessions/${foreign.sessionId}${part}`, stranger)).status).toBe(200);
    }
  });

  it('a queued run says how many stand before it', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await create({})).body.session.id);
    for (const id of ids)
      await runSql(`update sessions set status = 'queued', queued_at = clock_timestamp() where id = $1`, [id]);
    const positions = await Promise.all(
      ids.map(async (id) => (await api.get(`/v1/sessions/${id}`)).body.queue_position),
    );
    expect(positions).toEqual([0, 1, 2]);
  });

  it('CP-174 lists newest first, narrowed by status, agent and labels', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1)
      made.push((await create({ labels: { set: 'list', n: String(index) } })).body.session.id);
    const ids = async (query: string) =>
      (await api.get(`/v1/sessions?${query}`)).body.sessions.map((session: { id: string }) => session.id);
    const newest = [...made].reverse();
    expect(await ids('label=set=list')).toEqual(newest);
    expect(await ids('label=set=list&label=n=2')).toEqual([made[2]]);
    expect(await ids('label=set=list&limit=2')).toEqual(newest.slice(0, 2));
    expect(await ids(`label=set=list&limit=2&before=${newest[1]}`)).toEqual(newest.slice(2, 4));
    expect(await ids(`label=set=list&limit=2&after=${newest[4]}`)).toEqual(newest.slice(2, 4));
    expect(await ids(`label=set=list&after=${newest[4]}&before=${newest[0]}&limit=2`)).toEqual(newest.slice(1, 3));
    expect(await ids('label=set=list&status=created&status=queued')).toEqual(newest);
    expect(await ids('label=set=list&status=failed')).toEqual([]);
    expect(await ids('label=set=list&agent=free')).toEqual(newest);
    expect(await ids('label=set=list&agent=nobody')).toEqual([]);
  });

  it.each([
    'status=nothing',
    'label=x',
    'label==x',
    'before=x',
    'before=01900000-0000-7000-8000-000000000000',
    'agent=',
    'agent=a&agent=b',
    'label=a=%00',
  ])('CP-300 a list narrowed by %s is refused', async (query) => {
    expect((await api.get(`/v1/sessions?${query}`)).status).toBe(400);
  });

  it('CP-174 the default page is 50', async () => {
    for (let index = (await count()) - 1; index < 51; index += 1) await create({});
    expect((await api.get('/v1/sessions')).body.sessions).toHaveLength(50);
  });

  it("CP-030 CP-303 another organization's run is not found, on every route", async () => {
    const foreign = await createRun(api.db);
    const id = foreign.sessionId;
    for (const path of [
      '',
      '/cost',
      '/artifacts',
      `/artifacts/${id}`,
      '/events',
      '/events/stream',
      '/events/export',
      '/approvals',
    ]) {
      const answer = await api.get(`/v1/sessions/${id}${path}`);
      expect([path, answer.status, answer.body]).toEqual([path, 404, { error: 'no such run' }]);
    }
    expect((await api.post(`/v1/sessions/${id}/cancel`)).status).toBe(404);
    expect((await api.get('/v1/sessions?limit=1000')).text).not.toContain(id);
    expect((await api.get(`/v1/agents/${foreign.agentId}`)).status).toBe(404);
    expect((await create({ agent: foreign.agentId })).status).toBe(400);
  });

  it('deliveries do not exist in this version', async () => {
    const { session } = (await create({})).body;
    expect((await api.get(`/v1/sessions/${session.id}/deliveries`)).status).toBe(404);
  });

  it('CP-015 CP-067 no route changes a run or makes one another way', async () => {
    const { session } = (await create({})).body;
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await api.call(method, `/v1/sessions/${session.id}`)).status).toBe(405);
      expect((await api.call(method, '/v1/sessions')).status).toBe(405);
    }
  });

  it('no token, lease or host is ever shown', async () => {
    const { session } = (await create({})).body;
    const { text } = await api.get(`/v1/sessions/${session.id}`);
    for (const secret of [ADMIN_TOKEN, 'svc_sess_', 'host_id', 'capacity_held', 'launch_attempts'])
      expect(text).not.toContain(secret);
  });
});

describe('cancel', () => {
  const intent = async (id: string) =>
    (await runSql('select outcome, reason from session_finalizations where session_id = $1', [id])).rows;

  it('CP-141 CP-181 persists the intent before it answers, and says true again while the run winds down', async () => {
    const { session } = (await create({})).body;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await api.post(`/v1/sessions/${session.id}/cancel`);
      expect([answer.status, answer.body]).toEqual([200, { cancelled: true }]);
      expect(await intent(session.id)).toEqual([{ outcome: 'cancelled', reason: 'cancelled by user' }]);
    }
  });

  it('CP-140 CP-142 a run that ended is left alone', async () => {
    for (const status of ['completed', 'failed', 'cancelled', 'budget_exceeded']) {
      const { session } = (await create({})).body;
      await runSql('update sessions set status = $2 where id = $1', [session.id, status]);
      expect((await api.post(`/v1/sessions/${session.id}/cancel`, {})).body).toEqual({ cancelled: false });
      expect(await intent(session.id)).toEqual([]);
      expect((await api.get(`/v1/sessions/${session.id}`)).body.session.status).toBe(status);
      await expect(runSql(`update sessions set status = 'running' where id = $1`, [session.id])).rejects.toThrow(
        'already',
      );
    }
  });

  it('CP-181 an empty body under a JSON type is no error; an unknown run is 404', async () => {
    const { session } = (await create({})).body;
    const answer = await api.post(`/v1/sessions/${session.id}/cancel`, undefined, {
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    expect((await api.post(`/v1/sessions/${uuidv7()}/cancel`)).status).toBe(404);
    expect((await api.post('/v1/sessions/x/cancel')).status).toBe(404);
  });

  it('CP-183 CP-306 answers 503 when the intent could not be persisted, and a retry then succeeds', async () => {
    const { session } = (await create({})).body;
    await runSql(
      `create function refuse_intents() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$`,
    );
    await runSql(
      'create trigger refuse_intents before insert on session_finalizations for each row execute function refuse_intents()',
    );
    try {
      const refused = await api.post(`/v1/sessions/${session.id}/cancel`);
      expect([refused.status, refused.body]).toEqual([
        503,
        { error: 'the cancellation could not be recorded; try again' },
      ]);
      expect(await intent(session.id)).toEqual([]);
    } finally {
      await runSql('drop trigger refuse_intents on session_finalizations');
      await runSql('drop function refuse_intents()');
    }
    expect((await api.post(`/v1/sessions/${session.id}/cancel`)).body).toEqual({ cancelled: true });
  });
});

describe('artifacts', () => {
  it('CP-132 CP-185 CP-186 CP-187 CP-328 as bare JSON, or as raw bytes', async () => {
    const { session } = (await create({})).body;
    const [id, log] = [uuidv7(), uuidv7()];
    const patch = Buffer.from('diff --git a/ä b/ä\n');
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    const add = `insert into artifacts (id, tenant_id, session_id, kind, name, content, content_type, size_bytes, digest, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp())`;
    await runSql(add, [
      id,
      api.organizationId,
      session.id,
      'diff',
      'changes.patch',
      patch,
      'text/x-diff',
      patch.length,
      digestOfText(patch),
    ]);
    await runSql(add, [
      log,
      api.organizationId,
      session.id,
      'log',
      'run.log',
      bytes,
      'text/plain',
      bytes.length,
      digestOfText(bytes),
    ]);
    const expected = {
      id,
      session_id: session.id,
      kind: 'diff',
      name: 'changes.patch',
      content: patch.toString(),
      content_type: 'text/x-diff',
      size_bytes: patch.length,
      digest: digestOfText(patch),
      truncated: false,
    };
    const { artifacts } = (await api.get(`/v1/sessions/${session.id}/artifacts`)).body;
    expect(artifacts).toMatchObject([expected, { id: log }]);
    const read = await api.get(`/v1/sessions/${session.id}/artifacts/${id}`);
    expect([read.status, read.body]).toEqual([200, artifacts[0]]);
    const raw = await fetch(`${api.url}/v1/sessions/${session.id}/artifacts/${log}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'application/octet-stream' },
    });
    expect(raw.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(bytes);
    const other = (await create({})).body.session;
    for (const path of [
      `${other.id}/artifacts/${id}`,
      `${session.id}/artifacts/x`,
      `${session.id}/artifacts/${uuidv7()}`,
    ]) {
      expect((await api.get(`/v1/sessions/${path}`)).status).toBe(404);
    }
  });
});
