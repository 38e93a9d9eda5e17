import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { ADMIN_TOKEN, type Answer, type TestApi } from '../../support/api/api.js';
import { TriggersBench } from '../../support/triggers/triggers-bench.js';
import type { FixtureSubscription } from '../../support/triggers/subscription-fixture.js';

let bench: TriggersBench;
let api: TestApi;
beforeAll(async () => {
  bench = await TriggersBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

const invoke = (of: FixtureSubscription, body?: unknown, key?: string) => bench.invoke(of, body, key);
const refused = ({ status, body }: Answer): [number, string] => [status, body.error];

describe('invoking a trigger', () => {
  it('CP-103 CP-234 CP-245 starts a run from its template, and freezes the context with it', async () => {
    const of = await bench.subscribe({ name: 'welcome', task_template: 'Greet {{ who }}, {{n}} times: {{yes}} }}' });
    const { status, body } = await invoke(of, { context: { who: '{{n}}', n: 3, yes: true, further: 'kept' } });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['poll_url', 'replay', 'session']);
    const { session } = body;
    expect(session).toMatchObject({ task: 'Greet {{n}}, 3 times: true }}', invoked_by_kind: 'trigger' });
    expect(session.invoked_by_user_id).toBeNull();
    expect(session.trigger).toEqual({
      kind: 'api',
      subscription_id: of.id,
      actor: 'trigger:welcome',
      attributes: { context: { who: '{{n}}', n: '3', yes: 'true', further: 'kept' } },
      received_at: expect.stringMatching(/Z$/),
    });
    expect(session.run_spec.invocation).toEqual(session.trigger);
  });

  it('CP-234 needs no body at all', async () => {
    const of = await bench.subscribe();
    const bare = await api.call('POST', `/v1/triggers/${of.id}/invoke`, { token: of.token });
    expect(bare.status).toBe(200);
    expect((await api.call('POST', `/v1/triggers/${of.id}/invoke`, { token: of.token, raw: '' })).status).toBe(200);
    expect(bare.body.session.trigger).toMatchObject({ attributes: { context: {} } });
  });

  it('CP-235 CP-243 takes a task only where the trigger lets it be overridden; a blank one is none', async () => {
    const closed = await bench.subscribe();
    expect(refused(await invoke(closed, { task: 'mine' }))).toEqual([403, expect.stringContaining('task')]);
    expect((await invoke(closed, { task: null, workspace: null, context: null })).status).toBe(200);
    const open = await bench.subscribe({ allow_task_override: true });
    expect((await invoke(open, { task: '  mine ' })).body.session.task).toBe('mine');
    expect((await invoke(open, { task: '  ' })).body.session.task).toBe('[]');
    const bare = await bench.subscribe({ allow_task_override: true, task_template: null });
    expect(refused(await invoke(bare, {}))).toEqual([400, expect.stringContaining('task')]);
    expect(refused(await invoke(open, { task: '\u{1f600}'.repeat(16_385) }))).toEqual([
      400,
      expect.stringContaining('16384'),
    ]);
    expect((await invoke(open, { task: '\u{1f600}'.repeat(16_384) })).status).toBe(200);
  });

  it.each([
    [{ context: { a: null } }, 'context: a'],
    [{ context: { list: [] } }, 'context: list'],
    [{ context: { nested: {} } }, 'context: nested'],
    [{ context: { big: 'x'.repeat(8190) } }, '8192'],
    [{ context: [] }, 'context'],
    [{ task: 7 }, 'task'],
    [{ workspace: 'here' }, 'workspace'],
    [{ tsak: 'typo' }, 'tsak'],
  ])('CP-236 %j is refused and starts nothing', async (body, named) => {
    const of = await bench.subscribe({ allow_task_override: true, allow_workspace_override: true });
    expect(refused(await invoke(of, body))).toEqual([400, expect.stringContaining(named)]);
    expect(await bench.history(of)).toEqual([]);
  });

  it('CP-236 an unknown hole of the template is refused, never left empty', async () => {
    const of = await bench.subscribe({ task_template: 'Greet {{who}}' });
    expect(refused(await invoke(of, { context: { whom: 'x' } }))).toEqual([400, expect.stringContaining('{{who}}')]);
    expect(refused(await invoke(await bench.subscribe({ task_template: '{{ who' })))[0]).toBe(400);
  });

  it('CP-163 a disabled trigger starts nothing, and its runs can still be read', async () => {
    const of = await bench.subscribe();
    const { session, poll_url } = (await invoke(of)).body;
    await bench.change(of, { enabled: false });
    expect(refused(await invoke(of))).toEqual([409, expect.stringContaining('disabled')]);
    const polled = await api.get(poll_url, { token: of.token });
    expect([polled.status, polled.body.session.id]).toEqual([200, session.id]);
  });
});

describe('the workspace of an invocation', () => {
  const BASE = {
    kind: 'git_repository',
    repository: 'acme/site',
    clone_url: 'https://github.com/acme/site',
    ref: 'main',
  };
  const subscribe = (workspace: object | null = BASE, allowed = true) =>
    bench.subscribe({ allow_workspace_override: allowed, workspace_override: workspace as never });

  it('CP-244 is another ref or commit of the same repository', async () => {
    const { session } = (
      await invoke(await subscribe(), { workspace: { repository: 'Acme/Site', commit_sha: 'ABCDEF0', ref: null } })
    ).body;
    expect(session.repo_source).toMatchObject({
      repository: 'acme/site',
      clone_url: 'https://github.com/acme/site',
      ref: 'main',
      commit_sha: 'abcdef0',
    });
  });

  it.each([
    [{ repository: 'acme/other' }, 403],
    [{ connection_id: uuidv7() }, 403],
    [{ clone_url: 'https://github.com/acme/site' }, 403],
    [{ path: '/etc' }, 403],
    [{ kind: 'scratch' }, 403],
    [{ checkout_mode: 'writable_copy' }, 403],
    [{ repository: 'site' }, 400],
    [{ commit_sha: 'not-hex' }, 400],
    [{ ref: '-x' }, 400],
    [{ branch: 'main' }, 400],
  ])('CP-244 %j is refused with %d', async (workspace, status) => {
    expect((await invoke(await subscribe(), { workspace })).status).toBe(status);
  });

  it('CP-243 CP-244 cannot be chosen without leave, nor where there is no repository', async () => {
    expect((await invoke(await subscribe(BASE, false), { workspace: { ref: 'x' } })).status).toBe(403);
    expect((await invoke(await subscribe(null), { workspace: { ref: 'x' } })).status).toBe(400);
    const { repository, ...anonymous } = BASE;
    expect((await invoke(await subscribe(anonymous), { workspace: { repository } })).status).toBe(403);
  });
});

describe('the key of an invocation', () => {
  it('CP-236 starts one run; another body is a conflict, and so is a key that was skipped', async () => {
    const of = await bench.subscribe({ allow_task_override: true });
    const first = (await invoke(of, { task: 'a', context: { b: 1, a: 2 } }, ' k ')).body;
    const again = (await invoke(of, { context: { a: 2, b: 1 }, task: 'a' }, 'k')).body;
    expect([first.replay, again.replay, again.session.id]).toEqual([false, true, first.session.id]);
    expect(first.session.trigger).toMatchObject({ attributes: { idempotency_key: 'k' } });
    expect(refused(await invoke(of, { task: 'b' }, 'k'))).toEqual([409, expect.stringContaining('another body')]);
    expect((await invoke(await bench.subscribe({ allow_task_override: true }), { task: 'b' }, 'k')).status).toBe(200);
  });

  it.each(['auto-1', 'manual-1', 'sched:2026-01-01T00:00:00Z', 'k'.repeat(201)])(
    'CP-236 %s is refused',
    async (key) => {
      expect((await invoke(await bench.subscribe(), {}, key)).status).toBe(400);
    },
  );

  it('CP-238 is free again when nothing could be started', async () => {
    const of = await bench.subscribe({ task_template: 'Greet {{who}}' });
    expect((await invoke(of, {}, 'k')).status).toBe(400);
    expect((await invoke(of, { context: { who: 'x' } }, 'k')).body.replay).toBe(false);
  });

  it('CP-234 the same key at once starts one run', async () => {
    const of = await bench.subscribe();
    const answers = await Promise.all(Array.from({ length: 20 }, () => invoke(of, {}, 'same')));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.session.id}`)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.replay)).toHaveLength(1);
  });
});

describe('the token of a trigger', () => {
  it('CP-276 opens invoke and poll of its own trigger, and nothing else does', async () => {
    const [one, two] = [await bench.subscribe(), await bench.subscribe()];
    const { session } = (await invoke(one)).body;
    for (const token of [two.token, ADMIN_TOKEN, (await api.addUser('admin')).token, null, 'svc_trig_'])
      for (const [method, path] of [
        ['POST', 'invoke'],
        ['GET', `runs/${session.id}`],
      ] as const)
        expect((await api.call(method, `/v1/triggers/${one.id}/${path}`, { token })).status).toBe(401);
    for (const path of ['/v1/sessions', `/v1/sessions/${session.id}`, '/v1/agents', '/v1/approvals'])
      expect((await api.get(path, { token: one.token })).status).toBe(401);
    expect((await api.post(`/v1/triggers/${one.id}/run-now`, undefined, { token: one.token })).status).toBe(401);
    const cookie = { cookie: '__Host-svc_web=svc_web_x' };
    const both = await api.call('POST', `/v1/triggers/${one.id}/invoke`, { token: one.token, headers: cookie });
    expect(both.status).toBe(400);
  });

  it('CP-239 CP-246 reads the runs of its trigger, whoever started them, and no others', async () => {
    const [one, two] = [await bench.subscribe(), await bench.subscribe()];
    const manual = (await api.post(`/v1/triggers/${one.id}/run-now`)).body.session;
    const foreign = (await invoke(two)).body.session;
    const poll = (id: string) => api.get(`/v1/triggers/${one.id}/runs/${id}`, { token: one.token });
    expect((await poll(manual.id)).body).toMatchObject({
      session: { id: manual.id },
      run: { id: manual.id, status: 'created' },
      ...{ event: null, delivery_id: null, attempt: null, artifacts: [] },
    });
    for (const id of [foreign.id, uuidv7(), 'nonsense']) expect((await poll(id)).status).toBe(404);
  });
});

describe('running a trigger by hand', () => {
  it('is stamped with whoever asked, and fills in the time', async () => {
    const of = await bench.subscribe({ task_template: 'At {{fire_time}}' });
    const { session } = (await api.post(`/v1/triggers/${of.id}/run-now`)).body;
    expect(session.task).toMatch(/^At \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(session).toMatchObject({ invoked_by_kind: 'operator', trigger: { kind: 'manual', actor: 'operator' } });
    const admin = await api.addUser('admin');
    const own = (await api.post(`/v1/triggers/${of.id}/run-now`, undefined, { token: admin.token })).body.session;
    expect(own).toMatchObject({
      invoked_by_user_id: admin.userId,
      trigger: { actor: `user:${admin.userId}`, attributes: { run_now: true } },
    });
    expect((await bench.history(of)).map((row) => row.idempotency_key)).toEqual([
      `manual-${session.id}`,
      `manual-${own.id}`,
    ]);
  });

  it('CP-232 is for those who manage triggers; a disabled one, a missing one and one of events are refused', async () => {
    const of = await bench.subscribe();
    const member = await api.addUser('member');
    const run = (id: string, token = ADMIN_TOKEN) => api.post(`/v1/triggers/${id}/run-now`, undefined, { token });
    expect((await run(of.id, member.token)).status).toBe(403);
    expect((await run(uuidv7())).status).toBe(404);
    await bench.change(of, { enabled: false });
    expect((await run(of.id)).status).toBe(409);
  });
});

describe('the runs of a trigger', () => {
  it('CP-020 use the revision that it pins', async () => {
    const pinned = await bench.revisionOf('bee');
    await api.post('/v1/agents/bee/revisions', { system_prompt: 'newer' });
    const of = await bench.subscribe({ pinned_revision_id: pinned });
    expect((await invoke(of)).body.session.agent_revision_id).toBe(pinned);
    const latest = (await invoke(await bench.subscribe())).body.session.agent_revision_id;
    expect(latest).not.toBe(pinned);
  });

  it('CP-105 are autonomous where it says so, and its budgets only tighten', async () => {
    const of = await bench.subscribe({
      autonomy: 'autonomous',
      budget_override: { max_tool_calls: 3, max_tokens: 1e12 },
    });
    const { session } = (await invoke(of)).body;
    expect(session.autonomy).toBe('autonomous');
    expect(session.budgets.max_tool_calls).toBe(3);
    expect(session.budgets.max_tokens).toBeLessThan(1e12);
  });
});
