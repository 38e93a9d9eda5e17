import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { digestOfText } from '../../../src/domain/digest/digest.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { ADMIN_TOKEN, type TestApi } from '../../support/api/api.js';
import { createRun } from '../../support/runs/run-fixture.js';
import { SessionsBench } from '../../support/api/sessions-bench.js';

let bench: SessionsBench;
let api: TestApi;
beforeAll(async () => {
  bench = await SessionsBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

type Row = { outcome: string; reason: string; run_spec_digest: string; run_spec: JsonObject; kind: string };
const runSql = (sql: string, params: unknown[] = []) => api.database.owner.query<Row>(sql, params);

describe('reading runs', () => {
  it('CP-080 CP-180 CP-184 CP-328 CP-336 usage is one shape, in the read and bare in the cost answer', async () => {
    const { session } = (await bench.create({})).body;
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
    const { session } = (await bench.create({})).body;
    const stranger = await api.users.add(api.db, foreign.organizationId, 'owner');
    for (const part of ['', '/cost']) {
      for (const [id, caller] of [
        [foreign.runId, {}],
        [session.id, stranger],
        [uuidv7(), {}],
        ['nothing', {}],
      ] as const) {
        const answer = await api.get(`/v1/sessions/${id}${part}`, caller);
        expect([part, answer.status, Object.keys(answer.body)]).toEqual([part, 404, ['error']]);
        expect(answer.text).not.toContain(id);
      }
      expect((await api.get(`/v1/sessions/${foreign.runId}${part}`, stranger)).status).toBe(200);
    }
  });

  it('a queued run says how many stand before it', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await bench.create({})).body.session.id);
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
      made.push((await bench.create({ labels: { set: 'list', n: String(index) } })).body.session.id);
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
    for (let index = (await bench.count()) - 1; index < 51; index += 1) await bench.create({});
    expect((await api.get('/v1/sessions')).body.sessions).toHaveLength(50);
  });

  it("CP-030 CP-303 another organization's run is not found, on every route", async () => {
    const foreign = await createRun(api.db);
    const id = foreign.runId;
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
    expect((await bench.create({ agent: foreign.agentId })).status).toBe(400);
  });

  it('CP-188 a run that nothing was to be done with has no deliveries', async () => {
    const { session } = (await bench.create({})).body;
    const { status, text } = await api.get(`/v1/sessions/${session.id}/deliveries`);
    expect([status, JSON.parse(text)]).toEqual([200, { deliveries: [] }]);
  });

  it('CP-015 CP-067 no route changes a run or makes one another way', async () => {
    const { session } = (await bench.create({})).body;
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await api.call(method, `/v1/sessions/${session.id}`)).status).toBe(405);
      expect((await api.call(method, '/v1/sessions')).status).toBe(405);
    }
  });

  it('no token, lease or host is ever shown', async () => {
    const { session } = (await bench.create({})).body;
    const { text } = await api.get(`/v1/sessions/${session.id}`);
    for (const secret of [ADMIN_TOKEN, 'svc_sess_', 'host_id', 'capacity_held', 'launch_attempts'])
      expect(text).not.toContain(secret);
  });
});

describe('cancel', () => {
  const finalizationRequest = async (id: string) =>
    (await runSql('select outcome, reason from session_finalizations where session_id = $1', [id])).rows;

  it('CP-141 CP-181 persists the finalization request before it answers, and says true again while the run winds down', async () => {
    const { session } = (await bench.create({})).body;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await api.post(`/v1/sessions/${session.id}/cancel`);
      expect([answer.status, answer.body]).toEqual([200, { cancelled: true }]);
      expect(await finalizationRequest(session.id)).toEqual([{ outcome: 'cancelled', reason: 'cancelled by user' }]);
    }
  });

  it('CP-140 CP-142 a run that ended is left alone', async () => {
    for (const status of ['completed', 'failed', 'cancelled', 'budget_exceeded']) {
      const { session } = (await bench.create({})).body;
      await runSql('update sessions set status = $2 where id = $1', [session.id, status]);
      expect((await api.post(`/v1/sessions/${session.id}/cancel`, {})).body).toEqual({ cancelled: false });
      expect(await finalizationRequest(session.id)).toEqual([]);
      expect((await api.get(`/v1/sessions/${session.id}`)).body.session.status).toBe(status);
      await expect(runSql(`update sessions set status = 'running' where id = $1`, [session.id])).rejects.toThrow(
        'already',
      );
    }
  });

  it('CP-181 an empty body under a JSON type is no error; an unknown run is 404', async () => {
    const { session } = (await bench.create({})).body;
    const answer = await api.post(`/v1/sessions/${session.id}/cancel`, undefined, {
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    expect((await api.post(`/v1/sessions/${uuidv7()}/cancel`)).status).toBe(404);
    expect((await api.post('/v1/sessions/x/cancel')).status).toBe(404);
  });

  it('CP-183 CP-306 answers 503 when the finalization request could not be persisted, and a retry then succeeds', async () => {
    const { session } = (await bench.create({})).body;
    await runSql(
      `create function refuse_finalizations() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$`,
    );
    await runSql(
      'create trigger refuse_finalizations before insert on session_finalizations for each row execute function refuse_finalizations()',
    );
    try {
      const refused = await api.post(`/v1/sessions/${session.id}/cancel`);
      expect([refused.status, refused.body]).toEqual([
        503,
        { error: 'the cancellation could not be recorded; try again' },
      ]);
      expect(await finalizationRequest(session.id)).toEqual([]);
    } finally {
      await runSql('drop trigger refuse_finalizations on session_finalizations');
      await runSql('drop function refuse_finalizations()');
    }
    expect((await api.post(`/v1/sessions/${session.id}/cancel`)).body).toEqual({ cancelled: true });
  });
});

describe('artifacts', () => {
  it('CP-132 CP-185 CP-186 CP-187 CP-328 as bare JSON, or as raw bytes', async () => {
    const { session } = (await bench.create({})).body;
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
    const other = (await bench.create({})).body.session;
    for (const path of [
      `${other.id}/artifacts/${id}`,
      `${session.id}/artifacts/x`,
      `${session.id}/artifacts/${uuidv7()}`,
    ]) {
      expect((await api.get(`/v1/sessions/${path}`)).status).toBe(404);
    }
  });
});
