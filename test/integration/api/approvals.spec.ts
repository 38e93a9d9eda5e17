import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { startApi, type TestApi } from '../../support/api/api.js';
import { ask as askOf, newRun as newRunOf, type AskOptions } from '../../support/gate/asked-approval.js';
import { createRun, readLedger, readStatus, type FixtureRun } from '../../support/runs/run-fixture.js';

let api: TestApi;
let run: FixtureRun;
beforeAll(async () => {
  api = await startApi({ SERVICE_KMS_MODE: 'static', SERVICE_KMS_STATIC_KEK: 'ab'.repeat(32) });
  run = await newRun();
});
afterAll(() => api.close());

const newRun = () => newRunOf(api);
const ask = (of: FixtureRun, options: AskOptions = {}) => askOf(api, of, options);
const decide = (id: string, decision: unknown) => api.post(`/v1/approvals/${id}/decision`, { decision });
const decisionEvents = async (of: FixtureRun) =>
  (await readLedger(api.db, of))
    .filter(({ type }) => type === 'approval.decided' || type === 'tool.decision')
    .map(({ type }) => type);

describe('the inbox', () => {
  it('CP-130 CP-199 CP-200 CP-334 shows what waits, with the whole input and without secrets', async () => {
    const input = { command: 'curl -H "x: ghp_0123456789012345678901234567"', big: 5 };
    const id = await ask(run, { input });
    const { approvals } = (await api.get('/v1/approvals')).body;
    const approval = approvals.find((each) => each.id === id);
    const shown = approval?.input as { command: string; big: number };
    expect(approval).toMatchObject({
      id,
      session_id: run.runId,
      tool: 'Bash',
      summary: 'git push',
      status: 'pending',
      risk: 'pushes',
      scope: 'once',
      scope_key: 'git push',
      reason: 'needs a human',
      explanation: { rule: 1, files: [], parts: [] },
      decided_at: null,
      decided_by: null,
    });
    expect(approval?.input_digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(shown.big).toBe(5);
    expect(shown.command).toContain('curl -H "x: ‹redacted:');
    expect(shown.command).not.toContain('ghp_');
    expect((await api.get(`/v1/sessions/${run.runId}/approvals`)).body.approvals[0]).toEqual(approval);
    expect((await api.get(`/v1/approvals/${id}`)).body).toEqual(approval);
    await decide(id, 'denied');
    const settled = (await api.get(`/v1/approvals/${id}`)).body as unknown as { input: unknown; explanation: object };
    expect(settled).toMatchObject({
      status: 'denied',
      input: null,
      explanation: { rule: 1, subject: null, parts: [] },
    });
  });

  it('says which rule, matcher and part decided, where, and which files the command names', async () => {
    const secret = 'ghp_0123456789012345678901234567';
    const id = await ask(await newRun(), {
      explanation: {
        decided_by: 'no_prefix',
        rule: 2,
        matcher: 'Bash',
        pattern: null,
        reason: 'no allow prefix covers `sh deploy.sh`',
        files: [{ path: 'big.iso', size: 99_999_999, digest: null, stamp: '1:2:3' }],
      },
      findings: {
        subject: 'sh deploy.sh',
        cwd: '/workspace/ops',
        parts: [{ text: `sh deploy.sh ${secret}`, kind: 'command', subject: 'sh', covered_by: null }],
        parts_omitted: 3,
        not_known_beforehand: ['"$TARGET"'],
      },
    });
    const answer = await api.get(`/v1/approvals/${id}`);
    expect((answer.body as unknown as { explanation: object }).explanation).toEqual({
      decided_by: 'no_prefix',
      rule: 2,
      matcher: 'Bash',
      pattern: null,
      reason: 'no allow prefix covers `sh deploy.sh`',
      files: [{ path: 'big.iso', size: 99_999_999, digest: null }],
      subject: 'sh deploy.sh',
      cwd: '/workspace/ops',
      parts: [
        {
          text: expect.stringMatching(/^sh deploy\.sh ‹redacted:32:[0-9a-f]{8}›$/),
          kind: 'command',
          subject: 'sh',
          covered_by: null,
        },
      ],
      parts_omitted: 3,
      not_known_beforehand: ['"$TARGET"'],
    });
    const { rows } = await api.database.owner.query<{ row: string }>(
      'select a::text as row from approvals a where id = $1',
      [id],
    );
    expect(rows[0]?.row).not.toMatch(/deploy\.sh ghp_|\/workspace\/ops/);
    await decide(id, 'denied');
  });

  it('a call that was never a question is no approval', async () => {
    const of = await newRun();
    const { rows } = await api.database.owner.query<{ id: string }>(
      `insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status)
       values ($1, $2, $3, 'auto', 'Bash', 'ls', 'sha256:${'0'.repeat(64)}', 'auto_allowed') returning id`,
      [uuidv7(), of.organizationId, of.runId],
    );
    expect((await api.get(`/v1/approvals/${rows[0]?.id}`)).status).toBe(404);
    expect((await decide(rows[0]?.id ?? '', 'denied')).status).toBe(404);
  });

  it('CP-199 is oldest first, pending only, and limit cuts', async () => {
    const ids = [await ask(run), await ask(run), await ask(run)];
    const inbox = async (query = '') =>
      (await api.get(`/v1/approvals${query}`)).body.approvals.map((each: { id: string }) => each.id);
    expect(await inbox()).toEqual(ids);
    expect(await inbox('?limit=2')).toEqual(ids.slice(0, 2));
    await decide(ids[0] ?? '', 'denied');
    expect(await inbox()).toEqual(ids.slice(1));
    for (const id of ids) await decide(id, 'deny');
    const statuses = (await api.get(`/v1/sessions/${run.runId}/approvals`)).body.approvals;
    expect(statuses.map((each: { id: string }) => each.id).slice(0, 3)).toEqual([...ids].reverse());
  });
});

describe('a decision', () => {
  it.each([
    ['approved_once', 'approved_once'],
    ['approve', 'approved_once'],
    ['allow', 'approved_once'],
    ['approved_session', 'approved_session'],
    ['denied', 'denied'],
    ['deny', 'denied'],
  ])('CP-144 CP-201 CP-328 %s settles it as %s, bare', async (word, status) => {
    const of = await newRun();
    const id = await ask(of);
    const answer = await decide(id, word);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status, decided_by: 'operator' });
    expect(answer.body.decided_at).toMatch(/Z$/);
    expect(await readStatus(api.db, of)).toBe('running');
  });

  it('CP-145 CP-146 CP-330 of a hundred at once one wins, one pair of events arises, and all see the settled row', async () => {
    const of = await newRun();
    const id = await ask(of);
    const words = ['approved_once', 'denied', 'approved_session'];
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => decide(id, words[index % 3])));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(new Set(answers.map((answer) => answer.body.status)).size).toBe(1);
    expect(await decisionEvents(of)).toEqual(['approval.decided', 'tool.decision']);
    const late = await decide(id, 'denied');
    expect([late.status, late.body.status]).toEqual([200, answers[0]?.body.status]);
    expect(late.body).toMatchObject({ won: false });
    expect(answers.filter((answer) => (answer.body as unknown as { won: boolean }).won)).toHaveLength(1);
    expect(await decisionEvents(of)).toHaveLength(2);
  });

  it('CP-145 if the events cannot be appended nothing is decided', async () => {
    const of = await newRun();
    const id = await ask(of);
    const { owner } = api.database;
    await owner.query(`create function refuse_decisions() returns trigger language plpgsql as $$ begin
      if new.type = 'tool.decision' then raise exception 'no room'; end if; return new; end $$`);
    await owner.query(
      'create trigger refuse_decisions before insert on events for each row execute function refuse_decisions()',
    );
    expect((await decide(id, 'approved_once')).status).toBe(500);
    await owner.query('drop trigger refuse_decisions on events; drop function refuse_decisions()');
    expect(await decisionEvents(of)).toEqual([]);
    expect((await decide(id, 'denied')).body.status).toBe('denied');
  });

  it('a session grant on a call without keys is recorded as once, and says so', async () => {
    const of = await newRun();
    const answer = await decide(await ask(of, { keys: [] }), 'approved_session');
    expect(answer.body.status).toBe('approved_once');
    expect(answer.body.reason).toContain('recorded as approved_once');
    expect(answer.body).toMatchObject({ won: true, narrowed: true });
  });

  it('after its deadline it is expired, whatever the decision says', async () => {
    const of = await newRun();
    const answer = await decide(await ask(of, { ttlSecs: 0 }), 'approved_once');
    expect([answer.status, answer.body.status, answer.body.decided_by]).toEqual([200, 'expired', 'timeout']);
  });

  it('CP-202 a wrong body is 400, an unknown approval 404', async () => {
    const id = await ask(await newRun());
    for (const decision of [undefined, null, 'yes', 'expired', 'pending', 5])
      expect((await decide(id, decision)).status).toBe(400);
    const more = await api.post(`/v1/approvals/${id}/decision`, { decision: 'denied', scope: 'session' });
    expect([more.status, more.body.error]).toEqual([
      400,
      'scope: is not a member of this request; did you mean decision?',
    ]);
    expect((await api.get('/v1/approvals')).text).toContain(id);
    for (const unknown of [uuidv7(), 'x']) expect((await decide(unknown, 'denied')).status).toBe(404);
    const foreign = await ask(await createRun(api.db));
    expect((await decide(foreign, 'denied')).status).toBe(404);
  });
});
