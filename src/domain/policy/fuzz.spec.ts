import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCall, anyPolicy, anyRule } from '../../../test/support/policies/policy-arbitraries.js';
import { compileDocument } from './compile-policy.js';
import type { PolicyDocument, PolicyRule } from './document.js';
import { evaluate } from './evaluate.js';
import { isStricter } from './outcome.js';
import type { AutonomyMode, PolicyAction } from './verdict.js';

/** Generated cases per property; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 2000);
const LONG = 7_200_000;
const MODES: readonly AutonomyMode[] = ['supervised', 'autonomous'];
const LOOSENESS = { allow: 0, require_approval: 1, deny: 2 } as const;

/** Ways to make one rule stricter; each answers the rule unchanged where it does not apply. */
const TIGHTENINGS: readonly ((rule: PolicyRule) => PolicyRule)[] = [
  (rule) => ({ ...rule, action: stricter(rule.action) }),
  (rule) => withShell(rule, (shell) => ({ ...shell, on_no_match: stricter(shell.on_no_match) })),
  (rule) => withShell(rule, (shell) => ({ ...shell, deny_regex: [...shell.deny_regex, 'a'] })),
  (rule) =>
    withShell(rule, (shell) =>
      isStricter(rule.action, shell.on_no_match) ? shell : { ...shell, allow_prefixes: shell.allow_prefixes.slice(1) },
    ),
  (rule) => (rule.paths === null ? rule : { ...rule, paths: { ...rule.paths, deny: [...rule.paths.deny, '**/*a*'] } }),
  (rule) =>
    rule.paths === null || rule.paths.allow.length < 2
      ? rule
      : { ...rule, paths: { ...rule.paths, allow: rule.paths.allow.slice(1) } },
  (rule) =>
    rule.paths === null || rule.paths.allow.length > 0
      ? rule
      : { ...rule, paths: { ...rule.paths, allow: ['/workspace/**'] } },
  (rule) =>
    rule.shell !== null || rule.paths !== null ? rule : { ...rule, paths: { allow: ['/workspace/**'], deny: [] } },
  (rule) => ({ ...rule, on_autonomous: 'deny' }),
];

function stricter(action: PolicyAction): PolicyAction {
  return action === 'allow' ? 'approve' : 'deny';
}

function withShell(
  rule: PolicyRule,
  change: (shell: NonNullable<PolicyRule['shell']>) => NonNullable<PolicyRule['shell']>,
): PolicyRule {
  return rule.shell === null ? rule : { ...rule, shell: change(rule.shell) };
}

const tightened = fc
  .tuple(anyPolicy, fc.nat(), fc.constantFrom(...TIGHTENINGS), fc.boolean())
  .map(([policy, at, tighten, whole]) => {
    const index = policy.tools.length === 0 ? -1 : at % policy.tools.length;
    const tools = policy.tools.map((rule, i) => (i === index ? tighten(rule) : rule));
    const stricterPolicy: PolicyDocument = whole
      ? {
          ...policy,
          defaults: { tool_action: stricter(policy.defaults.tool_action) },
          autonomy: { ...policy.autonomy, on_approval_rule: 'deny' },
          tools,
        }
      : { ...policy, tools };
    return { policy, stricterPolicy };
  });

/** Compiling costs a hundred times as much as judging, so each policy is tried on many calls. */
const drawn = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, Math.ceil(CASES / 10));
const policy = fc.constantFrom(
  ...drawn(anyPolicy).map((document) => ({ document, compiled: compileDocument(document) })),
);
const pair = fc.constantFrom(
  ...drawn(tightened).map(({ policy: looser, stricterPolicy }) => ({
    looser,
    stricterPolicy,
    before: compileDocument(looser),
    after: compileDocument(stricterPolicy),
  })),
);
const mode = fc.constantFrom(...MODES);

describe('the evaluator under generated policies and calls', () => {
  it(
    'CP-338 proof 28: never throws, and says the same of the same call',
    () => {
      fc.assert(
        fc.property(policy, anyCall, mode, ({ compiled }, call, autonomy) => {
          const verdict = evaluate(compiled, call, autonomy);
          expect(evaluate(compiled, structuredClone(call), autonomy)).toEqual(verdict);
          expect(verdict.reason === null).toBe(verdict.verdict === 'allow');
          expect(verdict.approval === null).toBe(verdict.verdict !== 'require_approval');
          expect(JSON.stringify(verdict.explanation).isWellFormed()).toBe(true);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'CP-338 proof 28: a stricter policy never yields a looser verdict',
    () => {
      fc.assert(
        fc.property(pair, anyCall, mode, ({ before, after }, call, autonomy) => {
          const looseness = LOOSENESS[evaluate(before, call, autonomy).verdict];
          expect(LOOSENESS[evaluate(after, call, autonomy).verdict]).toBeGreaterThanOrEqual(looseness);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'CP-077 proof 28: an autonomous run never asks, and its original verdict is the supervised one',
    () => {
      fc.assert(
        fc.property(policy, anyCall, ({ compiled }, call) => {
          const autonomous = evaluate(compiled, call, 'autonomous');
          expect(autonomous.verdict).not.toBe('require_approval');
          expect(autonomous.original_verdict).toBe(evaluate(compiled, call, 'supervised').verdict);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'proof 28: a rule behind all others that the tool does not reach changes nothing',
    () => {
      fc.assert(
        fc.property(policy, anyRule, anyCall, ({ document, compiled }, rule, call) => {
          const behind = { ...document, tools: [...document.tools, { ...rule, match: ['never reached'] }] };
          expect(evaluate(compileDocument(behind), call, 'supervised')).toEqual(evaluate(compiled, call, 'supervised'));
        }),
        { numRuns: Math.ceil(CASES / 20) },
      );
    },
    LONG,
  );
});
