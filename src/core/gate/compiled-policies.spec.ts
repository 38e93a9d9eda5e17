import { describe, expect, it } from '@jest/globals';
import { POLICY_ENGINE } from '../../domain/policy/document.js';
import { CompiledPolicies } from './compiled-policies.js';

const saying = (name: string) => ({
  name,
  defaults: { tool_action: 'deny' },
  tools: [{ match: ['Bash'], action: 'allow', shell: { deny_regex: ['rm -rf'] } }],
});

describe('compiled policies', () => {
  it('are shared by all that say the same, however many runs froze them', () => {
    const policies = new CompiledPolicies();
    const first = policies.of(saying('one'), POLICY_ENGINE);
    expect(first.rules).toHaveLength(1);
    expect(policies.of(saying('one'), POLICY_ENGINE)).toBe(first);
    expect(policies.of(saying('two'), POLICY_ENGINE)).not.toBe(first);
  });

  it('deny every call of a run that froze none', () => {
    expect(new CompiledPolicies().of(undefined, POLICY_ENGINE).defects).not.toEqual([]);
  });

  it('are apart by the rules of evaluation', () => {
    const policies = new CompiledPolicies();
    policies.of(saying('one'), POLICY_ENGINE);
    expect(policies.of(saying('one'), POLICY_ENGINE + 1).defects).not.toEqual([]);
  });

  it('are bounded by how much they say, and one beyond that is compiled each time', () => {
    const policies = new CompiledPolicies();
    const first = policies.of(saying('one'), POLICY_ENGINE);
    for (let index = 0; index < 4; index += 1) policies.of(saying(`${index}`.repeat(150_000)), POLICY_ENGINE);
    expect(policies.of(saying('one'), POLICY_ENGINE)).not.toBe(first);
    const long = saying('x'.repeat(600_000));
    expect(policies.of(long, POLICY_ENGINE).rules).toHaveLength(1);
    expect(policies.of(long, POLICY_ENGINE)).not.toBe(policies.of(long, POLICY_ENGINE));
  });
});
