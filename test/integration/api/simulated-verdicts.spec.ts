import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JudgedCalls } from '../../../src/api/simulation/judged-calls.js';
import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import { parsePolicyStrict } from '../../../src/domain/policy/parse-policy.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import { requestApproval } from '../../../src/core/gate/gate.js';
import { type TestApi } from '../../support/api/api.js';
import { createGatedRun } from '../../support/gate/gated-run.js';
import { randomCall, randomPolicy } from '../../support/policies/random-policies.js';
import { keepViews, recordCalls, type RecordedInput } from '../../support/runs/recorded-calls.js';
import { gateCall } from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { bash, SimulationBench } from '../../support/policies/simulation-bench.js';

const DENY_ALL: JsonObject = { name: 'draft', defaults: { tool_action: 'deny' } };

let bench: SimulationBench;
let api: TestApi;
beforeAll(async () => {
  bench = await SimulationBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('the simulated verdicts of a draft', () => {
  it('is judged exactly: every one of 2,400 calls of random policies and inputs as a re-run judges it', async () => {
    const random = new SeededRandom(20_260);
    const organization = await bench.ownPolicy('exact');
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
        const run = await bench.pastRun(organization, calls, {
          policy,
          tools: policy['tools'] as JsonObject[],
          autonomy: mode,
        });
        for (const call of calls) expected.set(`${run.runId}:${call.id}`, { policy, mode, call });
      }),
    );
    const { organizationId, revisionId } = organization;
    const filter = {
      revisionIds: [revisionId],
      agentId: null,
      runIds: null,
      since: null,
      until: null,
      tools: null,
    };
    const judged = new JudgedCalls(api.db, bench.payloads, {
      organizationId, draft: parsePolicyStrict(draft), filter, limit: 50_000, maxMs: 60_000, historyDays: 30,
      signal: new AbortController().signal,
    }); // prettier-ignore
    let changed = 0;
    const after = compilePolicy(draft);
    for await (const seen of judged) {
      if (seen.kind === 'unknown') throw new Error(`unknown: ${seen.cause}`);
      const key = `${seen.call.run.runId}:${seen.call.toolCallId}`;
      const { policy, mode, call } = expected.get(key)!;
      expect({ key, verdict: seen.before }).toEqual({ key, verdict: evaluate(compilePolicy(policy), call, mode) });
      expect({ key, verdict: seen.after }).toEqual({ key, verdict: evaluate(after, call, mode) });
      if (seen.before.verdict !== seen.after.verdict) changed += 1;
      expected.delete(key);
    }
    expect([expected.size, judged.stopped, judged.notExamined]).toEqual([0, null, 0]);
    const answer = await bench.simulate('exact', { content: draft });
    expect(answer.totals).toMatchObject({ calls: 2400, runs: 40, changed, unchanged: 2400 - changed, unknown: 0 });
    expect(changed).toBeGreaterThan(200);
    const listed = answer.changes.reduce((sum, group) => sum + group.calls, 0);
    expect(listed + answer.changes_left_out.calls).toBe(changed);
    expect(answer.transitions.reduce((sum, transition) => sum + transition.calls, 0)).toBe(changed);
  }, 120_000);

  it('lets other requests in between', async () => {
    let served = 0;
    let over = false;
    const simulation = bench.simulate('exact', { content: DENY_ALL }).finally(() => (over = true));
    while (!over) {
      await api.get('/v1/health', { token: null });
      if (!over) served += 1;
    }
    expect((await simulation).totals.calls).toBe(2400);
    expect(served).toBeGreaterThan(10);
  });

  it('says where the record differs from the frozen policy, because a human or another stage answered', async () => {
    const organization = await bench.ownPolicy('recorded');
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
    await keepViews(bench.payloads, run, calls);
    const answer = await bench.simulate('recorded', { content: DENY_ALL });
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
    const organization = await bench.ownPolicy('unknown');
    const [lost, expired, moved, judged] = bash('a', 'b', 'c', 'd');
    const run = await bench.pastRun(organization, [judged!]);
    await recordCalls(api.db, run, [lost!, expired!, moved!]);
    await keepViews(bench.payloads, run, [expired!], 0);
    await api.database.owner.query(
      `update approvals set requested_at = requested_at - interval '31 days' where session_id = $1 and tool_call_id = $2`,
      [run.runId, expired!.id],
    );
    await api.database.owner.query(
      `insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
       select tenant_id, session_id, $2, kind, sealed, key_version from tool_call_payloads
        where session_id = $1 and tool_call_id = $3 and kind = 'policy_view'`,
      [run.runId, moved!.id, judged!.id],
    );
    const answer = await bench.simulate('unknown', { content: DENY_ALL });
    expect(answer.totals).toMatchObject({ calls: 4, changed: 1, unchanged: 0, unknown: 3 });
    expect(answer.unknown).toEqual({ expired: 1, not_kept: 1, unreadable: 1, policy_unreadable: 0 });
    expect(answer.changes.flatMap((group) => group.examples.map((example) => example.tool_call_id))).toEqual([
      judged!.id,
    ]);
  });
});
