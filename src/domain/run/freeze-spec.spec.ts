import { describe, expect, it } from '@jest/globals';
import { freezeSpec, type SpecSources } from './freeze-spec.js';

const policy = {
  id: 'p',
  version: 3,
  content: { name: 'default', budgets: { max_cost_usd: 1, max_tool_calls: null }, autonomy: { permitted: false } },
};

function sources(change: Partial<SpecSources['request']> = {}, unpricedModel = false): SpecSources {
  return {
    agent: { id: 'a', name: 'fixer' },
    revision: {
      id: 'r',
      harness: 'builtin',
      runner_image: '',
      model: 'm',
      system_prompt: 'who',
      budgets: { max_cost_usd: 2, max_tool_calls: 9, max_tokens: null, max_wall_clock_secs: null },
      sandbox: { memory_mb: 256 },
    },
    policy,
    request: {
      task: 'what',
      autonomous: false,
      workspace: { kind: 'scratch' },
      budgets: null,
      allowUnpriced: false,
      ...change,
    },
    invocation: { kind: 'manual', actor: 'operator' },
    sandboxDefaults: { memory_mb: 2048, cpus: 2, disk_mb: 4096, pids: 512 },
    policyEngine: 1,
    unpricedModel,
  };
}

describe('freezeSpec', () => {
  it('CP-009 CP-010 CP-011 CP-012 holds revision, policy, workspace and effective budgets', () => {
    const spec = freezeSpec(sources({ budgets: { max_tool_calls: 4, max_cost_usd: 50 } }));
    expect(spec).toMatchObject({ model: 'm', system_prompt: 'who', task: 'what', workspace: { kind: 'scratch' } });
    expect(spec.policy_snapshot).toEqual(policy.content);
    expect(spec.budgets).toEqual({ max_cost_usd: 1, max_tool_calls: 4, max_tokens: null, max_wall_clock_secs: null });
    expect(spec.sandbox).toEqual({ memory_mb: 256, cpus: 2, disk_mb: 4096, pids: 512 });
    expect([spec.policy_version, spec.policy_engine, spec.trust_tier]).toEqual([3, 1, 'trusted']);
  });

  it('CP-077 a policy can forbid autonomous runs', () => {
    expect(() => freezeSpec(sources({ autonomous: true }))).toThrow('does not permit autonomous runs');
    expect(freezeSpec({ ...sources({ autonomous: true }), policy: { ...policy, content: {} } }).autonomy).toBe(
      'autonomous',
    );
  });

  it('a cost cap that cannot bind is refused unless the request says so', () => {
    expect(() => freezeSpec(sources({}, true))).toThrow('allow_unpriced');
    expect(freezeSpec(sources({ allowUnpriced: true }, true)).allow_unpriced).toBe(true);
    expect(freezeSpec(sources()).allow_unpriced).toBeUndefined();
  });
});
