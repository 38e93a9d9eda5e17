import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { JudgedCalls } from '../../../src/api/simulation/judged-calls.js';
import type { SimulatePolicy, SimulationView } from '../../../src/api/simulation/simulation.dto.js';
import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import { parsePolicyStrict } from '../../../src/domain/policy/parse-policy.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import { requestApproval } from '../../../src/core/gate/gate.js';
import { ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { createGatedRun, type GatedRunOptions } from '../../support/gate/gated-run.js';
import { randomCall, randomPolicy } from '../../support/policies/random-policies.js';
import { keepViews, recordCalls, type RecordedInput } from '../../support/runs/recorded-calls.js';
import {
  createOrganization,
  gateCall,
  type FixtureOrganization,
  type FixtureRun,
} from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';

const SEALING = { SERVICE_KMS_MODE: 'static', SERVICE_KMS_STATIC_KEK: Buffer.alloc(32, 9).toString('base64') };
const DENY_ALL: JsonObject = { name: 'draft', defaults: { tool_action: 'deny' } };
const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];

let api: TestApi;
let payloads: ToolCallPayloads;

beforeAll(async () => {
  api = await startApi(SEALING);
  payloads = api.app.get(ToolCallPayloads);
});
afterAll(() => api.close());

/** An agent with a policy of its own, so that tests do not see each other's calls. */
async function ownPolicy(name: string): Promise<FixtureOrganization & { policy: string }> {
  const [policyId, agentId, revisionId] = [uuidv7(), uuidv7(), uuidv7()];
  const { organizationId } = api;
  await api.db.withTenant(organizationId, async (tx) => {
    await tx.query('insert into policies (id, tenant_id, name) values ($1, $2, $3)', [policyId, organizationId, name]);
    await tx.query(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author) values ($1, $2, $3, 1, '{}', 'seed')`,
      [uuidv7(), organizationId, policyId],
    );
    await tx.query('insert into agents (id, tenant_id, name) values ($1, $2, $3)', [
      agentId,
      organizationId,
      `of-${name}`,
    ]);
    await tx.query(
      `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id)
       values ($1, $2, $3, 1, 'replay', 'none', $4)`,
      [revisionId, organizationId, agentId, policyId],
    );
  });
  return { organizationId, agentId, revisionId, policyId, policy: name };
}

async function pastRun(
  organization: FixtureOrganization,
  calls: readonly RecordedInput[],
  options: GatedRunOptions = {},
): Promise<FixtureRun> {
  const run = await createGatedRun(api.db, { tools: ALLOW_ALL, ...options, in: organization });
  await recordCalls(api.db, run, calls);
  await keepViews(payloads, run, calls);
  return run;
}

function bash(...commands: string[]): RecordedInput[] {
  return commands.map((command, i) => ({ id: `call-${String(i).padStart(4, '0')}`, tool: 'Bash', input: { command } }));
}

function ask(name: string, body: object): Promise<Answer> {
  return api.post(`/v1/policies/${name}/simulate`, body);
}

async function simulate(name: string, body: SimulatePolicy): Promise<SimulationView> {
  const answer = await ask(name, body);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return JSON.parse(answer.text) as SimulationView;
}

describe('a draft against recorded calls', () => {
  it('is judged exactly: every one of 2,400 calls of random policies and inputs as a re-run judges it', async () => {
    const random = new SeededRandom(20_260);
    const organization = await ownPolicy('exact');
    const draft = randomPolicy(random, 'draft');
    const expected = new Map<string, { policy: JsonObject; mode: 'supervised' | 'autonomous'; call: RecordedInput }>();
    const runs = Array.from({ length: 40 }, (_, i) => {
      const calls = Array.from({ length: 60 }, (_, n) => ({ id: `c${n}`, ...randomCall(random) }));
      return {
        policy: randomPolicy(random, `p${i}`),
        mode: i % 2 === 0 ? ('supervised' as const) : ('autonomous' as const),
        calls,
      };
    });
    await Promise.all(
      runs.map(async ({ policy, mode, calls }) => {
        const run = await pastRun(organization, calls, {
          policy,
          tools: policy['tools'] as JsonObject[],
          autonomy: mode,
        });
        for (const call of calls) expected.set(`${run.sessionId}:${call.id}`, { policy, mode, call });
      }),
    );
    const { organizationId, revisionId } = organization;
    const filter = {
      revisionIds: [revisionId],
      agentId: null,
      sessionIds: null,
      since: null,
      until: null,
      tools: null,
    };
    const judged = new JudgedCalls(api.db, payloads, {
      organizationId, draft: parsePolicyStrict(draft), filter, limit: 50_000, maxMs: 60_000, historyDays: 30,
      signal: new AbortController().signal,
    }); // prettier-ignore
    let changed = 0;
    const after = compilePolicy(draft);
    for await (const seen of judged) {
      if (seen.kind === 'unknown') throw new Error(`unknown: ${seen.cause}`);
      const key = `${seen.call.run.sessionId}:${seen.call.toolCallId}`;
      const { policy, mode, call } = expected.get(key)!;
      expect({ key, verdict: seen.before }).toEqual({ key, verdict: evaluate(compilePolicy(policy), call, mode) });
      expect({ key, verdict: seen.after }).toEqual({ key, verdict: evaluate(after, call, mode) });
      if (seen.before.verdict !== seen.after.verdict) changed += 1;
      expected.delete(key);
    }
    expect([expected.size, judged.stopped, judged.notExamined]).toEqual([0, null, 0]);
    const answer = await simulate('exact', { content: draft });
    expect(answer.totals).toMatchObject({ calls: 2400, runs: 40, changed, unchanged: 2400 - changed, unknown: 0 });
    expect(changed).toBeGreaterThan(200);
    const listed = answer.changes.reduce((sum, group) => sum + group.calls, 0);
    expect(listed + answer.changes_left_out.calls).toBe(changed);
    expect(answer.transitions.reduce((sum, transition) => sum + transition.calls, 0)).toBe(changed);
  }, 120_000);

  it('groups what would change, with examples that lead to the call in its ledger', async () => {
    const organization = await ownPolicy('groups');
    const run = await pastRun(
      organization,
      bash('git push origin main', 'git push -f', 'ls', 'curl http://x', 'ls && curl y'),
    );
    const draft = {
      name: 'stricter',
      tools: [
        {
          match: ['Bash'],
          action: 'allow',
          risk: 'asks',
          shell: { allow_prefixes: ['ls'], deny_regex: ['\\bcurl\\b'] },
        },
      ],
    };
    const answer = await simulate('groups', { content: draft });
    expect(answer.draft).toMatchObject({ name: 'stricter', policy_engine: 2 });
    expect(answer.totals).toEqual({
      calls: 5, runs: 1, unchanged: 1, changed: 4, unknown: 0, loosened: 0, tightened: 4, asked_differently: 0,
    }); // prettier-ignore
    expect(
      answer.changes.map(({ from, to, tool, shape, calls, after }) => [from, to, tool, shape, calls, after.pattern]),
    ).toEqual([
      ['allow', 'require_approval', 'Bash', 'git', 2, null],
      ['allow', 'deny', 'Bash', 'curl', 1, '\\bcurl\\b'],
      ['allow', 'deny', 'Bash', 'curl, ls', 1, '\\bcurl\\b'],
    ]);
    expect(answer.runs).toEqual([
      expect.objectContaining({
        session_id: run.sessionId,
        path: `/v1/sessions/${run.sessionId}`,
        calls: 5,
        changed: 4,
      }),
    ]);
    const [example] = answer.changes[1]!.examples;
    expect(example).toMatchObject({
      session_id: run.sessionId,
      tool_call_id: 'call-0003',
      summary: 'curl http://x',
      recorded: { answer: 'allow', source: 'policy', why: null },
      before: { verdict: 'allow', explanation: { decided_by: 'rule_action', rule: 0 } },
      after: {
        verdict: 'deny',
        explanation: { decided_by: 'deny_regex', pattern: '\\bcurl\\b', subject: 'curl http://x' },
      },
    });
    const { events } = (await api.get(example!.links.events!)).body;
    expect(events[0]).toMatchObject({
      seq: example!.event_seq,
      type: 'tool.requested',
      payload: { data: { tool_call_id: 'call-0003' } },
    });
    expect((await api.get(example!.links.run)).status).toBe(200);
  });

  it('says where the record differs from the frozen policy, because a human or another stage answered', async () => {
    const organization = await ownPolicy('recorded');
    const run = await createGatedRun(api.db, { in: organization, tools: [] });
    const calls = bash('make', 'make install', 'rm x');
    const tier = {
      kind: 'deny',
      source: 'trust_tier',
      originalVerdict: 'require_approval',
      reason: 'read-only',
    } as const;
    await recordCalls(api.db, run, [{ ...calls[2]!, verdict: tier }]);
    for (const [i, decision] of (['approved_once', 'denied'] as const).entries()) {
      const asked = await requestApproval(api.db, gateCall(run, { toolCallId: calls[i]!.id }), {
        source: 'policy', risk: null, reason: 'asks', scope: 'once', scopeKey: 'make', scopeKeys: ['make'], explanation: null,
        ttlSecs: 600, maxPending: 9, payload: null,
      }); // prettier-ignore
      await api.db.withTenant(api.organizationId, (tx) =>
        decideApproval(tx, { approvalId: asked.approvalId!, decision, decidedBy: 'operator' }),
      );
    }
    await keepViews(payloads, run, calls);
    const answer = await simulate('recorded', { content: DENY_ALL });
    expect(answer.transitions).toEqual([{ from: 'require_approval', to: 'deny', calls: 3 }]);
    expect(answer.recorded).toEqual({
      same: 0,
      different: [
        {
          baseline: 'require_approval',
          answer: 'allow',
          source: 'human',
          calls: 1,
          why: 'a human answered the question',
        },
        {
          baseline: 'require_approval',
          answer: 'deny',
          source: 'human',
          calls: 1,
          why: 'a human answered the question',
        },
        { baseline: 'require_approval', answer: 'deny', source: 'trust_tier', calls: 1, why: 'the run was read-only' },
      ],
    });
  });

  it('reports a call whose view a crash took, that expired or that does not open as unknown, and guesses nothing', async () => {
    const organization = await ownPolicy('unknown');
    const [lost, expired, moved, judged] = bash('a', 'b', 'c', 'd');
    const run = await pastRun(organization, [judged!]);
    await recordCalls(api.db, run, [lost!, expired!, moved!]);
    await keepViews(payloads, run, [expired!], 0);
    await api.database.owner.query(
      `update approvals set requested_at = requested_at - interval '31 days' where session_id = $1 and tool_call_id = $2`,
      [run.sessionId, expired!.id],
    );
    await api.database.owner.query(
      `insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
       select tenant_id, session_id, $2, kind, sealed, key_version from tool_call_payloads
        where session_id = $1 and tool_call_id = $3 and kind = 'policy_view'`,
      [run.sessionId, moved!.id, judged!.id],
    );
    const answer = await simulate('unknown', { content: DENY_ALL });
    expect(answer.totals).toMatchObject({ calls: 4, changed: 1, unchanged: 0, unknown: 3 });
    expect(answer.unknown).toEqual({ expired: 1, not_kept: 1, unreadable: 1, policy_unreadable: 0 });
    expect(answer.changes.flatMap((group) => group.examples.map((example) => example.tool_call_id))).toEqual([
      judged!.id,
    ]);
  });

  it('CP-030 never shows calls of another organization, however wide it is asked', async () => {
    const foreign = await createOrganization(api.db);
    const theirs = await pastRun(foreign, bash('cat their-secret'));
    const organization = await ownPolicy('isolated');
    await pastRun(organization, bash('ls'));
    const wide = await simulate('isolated', { content: DENY_ALL, all_policies: true });
    expect(JSON.stringify(wide)).not.toContain('their-secret');
    expect(JSON.stringify(wide)).not.toContain(theirs.sessionId);
    expect(wide.totals.calls).toBeGreaterThan(1);
    const named = await simulate('isolated', {
      content: DENY_ALL,
      all_policies: true,
      session_ids: [theirs.sessionId],
    });
    expect([named.totals.calls, named.runs]).toEqual([0, []]);
  });

  it('takes the runs of the policy only, and narrows by agent, run, time and tool', async () => {
    const organization = await ownPolicy('narrow');
    const other = await ownPolicy('narrow-other');
    const first = await pastRun(organization, [...bash('ls'), { id: 'm', tool: 'mcp__kb__find', input: {} }]);
    const second = await pastRun(organization, bash('ls'));
    await pastRun(other, bash('ls'));
    await api.database.owner.query(`update approvals set requested_at = '2026-01-01T00:00:00Z' where session_id = $1`, [
      second.sessionId,
    ]);
    const calls = async (more: Partial<SimulatePolicy>): Promise<number> =>
      (await simulate('narrow', { content: DENY_ALL, ...more })).totals.calls;
    expect(await calls({})).toBe(3);
    expect(await calls({ agent: 'of-narrow' })).toBe(3);
    expect(await calls({ agent: 'of-narrow-other' })).toBe(0);
    expect(await calls({ agent: 'of-narrow-other', all_policies: true })).toBe(1);
    expect(await calls({ session_ids: [first.sessionId] })).toBe(2);
    expect(await calls({ tools: ['Bash'] })).toBe(2);
    expect(await calls({ tools: ['mcp__*', 'Read'] })).toBe(1);
    expect(await calls({ since: '2026-06-01T00:00:00Z' })).toBe(2);
    expect(await calls({ until: '2026-06-01T00:00:00Z' })).toBe(0);
    await api.database.owner.query(`update sessions set created_at = '2025-12-31T00:00:00Z' where id = $1`, [
      second.sessionId,
    ]);
    expect(await calls({ until: '2026-06-01T00:00:00Z' })).toBe(1);
  });

  it('examines the newest runs first up to the limit, and counts what it left', async () => {
    const organization = await ownPolicy('limited');
    await pastRun(organization, bash(...Array.from({ length: 300 }, (_, i) => `ls ${i}`)));
    const newest = await pastRun(organization, bash(...Array.from({ length: 290 }, (_, i) => `cat ${i}`)));
    const answer = await simulate('limited', { content: DENY_ALL, limit: 290 });
    expect(answer.limits).toEqual({ calls: 290, stopped: 'limit', not_examined: 300 });
    expect([answer.totals.calls, answer.runs.map((run) => run.session_id)]).toEqual([290, [newest.sessionId]]);
    const whole = await simulate('limited', { content: DENY_ALL, limit: 590 });
    expect([whole.totals.calls, whole.limits]).toEqual([590, { calls: 590, stopped: null, not_examined: 0 }]);
    expect((await simulate('limited', { content: DENY_ALL, limit: 10_000_000 })).limits.calls).toBe(50_000);
  });

  it('bounds its answer, says what it left out, and answers the same twice', async () => {
    const organization = await ownPolicy('bounded');
    const commands = Array.from({ length: 130 }, (_, i) => `tool-${i} run`);
    for (let i = 0; i < 12; i += 1) await pastRun(organization, bash('make', 'make test', 'make a', 'make b'));
    await pastRun(organization, bash(...commands));
    const answer = await simulate('bounded', { content: DENY_ALL });
    expect([answer.changes.length, answer.changes_left_out]).toEqual([100, { groups: 31, calls: 31 }]);
    const [most] = answer.changes;
    expect([most!.shape, most!.calls, most!.runs, most!.run_ids.length, most!.examples.length]).toEqual([
      'make',
      48,
      12,
      10,
      3,
    ]);
    expect(await simulate('bounded', { content: DENY_ALL })).toEqual(answer);
  });

  it('what loosens stands before what tightens', async () => {
    const organization = await ownPolicy('order');
    const tools = [
      { match: ['Bash'], action: 'allow' },
      { match: ['Read'], action: 'deny' },
    ];
    const read = { id: 'r', tool: 'Read', input: { file_path: '/workspace/src/a/b.ts' } };
    await pastRun(organization, [...bash('a', 'a', 'a'), read], { tools });
    const draft = {
      name: 'x',
      tools: [
        { match: ['Bash'], action: 'approve' },
        { match: ['Read'], action: 'allow' },
      ],
    };
    const { changes, totals } = await simulate('order', { content: draft });
    expect(changes.map(({ direction, tool, shape }) => [direction, tool, shape])).toEqual([
      ['loosened', 'Read', '/workspace/src/a/*'],
      ['tightened', 'Bash', 'a'],
    ]);
    expect([totals.loosened, totals.tightened]).toEqual([1, 3]);
  });

  it('redacts secrets in what it shows', async () => {
    const organization = await ownPolicy('redacted');
    const secret = `ghp_${'aB3dEfGh1j'.repeat(3)}`;
    await pastRun(
      organization,
      bash(`git clone https://${secret}@host`, `${secret} x`, `${'x'.repeat(190)} ${secret}`),
    );
    const draft = {
      name: 'x',
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: [], deny_regex: ['host'] } }],
    };
    const text = JSON.stringify(await simulate('redacted', { content: draft }));
    expect(text).toContain('‹redacted›');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(0, 12));
  });

  it('lets other requests in between', async () => {
    let served = 0;
    let over = false;
    const simulation = simulate('exact', { content: DENY_ALL }).finally(() => (over = true));
    while (!over) {
      await api.get('/v1/health', { token: null });
      if (!over) served += 1;
    }
    expect((await simulation).totals.calls).toBe(2400);
    expect(served).toBeGreaterThan(10);
  });
});

describe('what a simulation refuses', () => {
  it('CP-299 a draft that is no policy, two drafts, none, and filters that mean nothing', async () => {
    const refused = async (body: object): Promise<string> => {
      const answer = await ask('default', body);
      expect(answer.status).toBe(400);
      return answer.body.error;
    };
    expect(await refused({})).toContain('content, yaml');
    expect(await refused({ content: DENY_ALL, yaml: 'name: x' })).toContain('content, yaml');
    expect(await refused({ yaml: 'name: x\npermitted: yes' })).toContain('permitted');
    expect(await refused({ yaml: 'name: [' })).toContain('invalid YAML');
    expect(await refused({ content: { name: 'x', tools: [{ match: ['a'], action: 'yes' }] } })).toContain(
      'tools[0].action',
    );
    expect(await refused({ content: DENY_ALL, agent: 'nobody' })).toContain('agent');
    expect(await refused({ content: DENY_ALL, since: 'yesterday' })).toContain('since');
    expect(await refused({ content: DENY_ALL, session_ids: ['x'] })).toContain('session_ids');
    expect(await refused({ content: DENY_ALL, tools: [] })).toContain('tools');
    expect(await refused({ content: DENY_ALL, limit: 0 })).toContain('limit');
  });

  it('CP-303 an unknown policy, and callers without a credential', async () => {
    expect((await ask('no-such-policy', { content: DENY_ALL })).status).toBe(404);
    expect((await api.post('/v1/policies/default/simulate', { content: DENY_ALL }, { token: null })).status).toBe(401);
  });
});
