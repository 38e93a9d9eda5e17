import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  gateSpec as spec,
  KB_AND_CRM,
  KB_FROZEN,
  NOTHING_FROZEN,
  readOnly,
  UNRESTRICTED,
} from '../../../test/support/gate/gate-specs.js';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { compilePolicy } from '../policy/compile-policy.js';
import { AUTONOMOUS_REASON } from '../policy/evaluate.js';
import type { GateCall, GateSpec, GateVerdict } from './gate-verdict.js';
import { judge } from './judge.js';
import { GATE_MESSAGES } from './messages.js';

const DENY_ALL = compilePolicy({ name: 'F2', tools: [{ match: ['*'], action: 'deny' }] });
const call = (tool: string, input?: ExactJson): GateVerdict => judge(spec(), { tool, input });

describe('order of the gate', () => {
  it('CP-317 CP-311 the tool set comes before trust tier and policy', () => {
    for (const policy of [UNRESTRICTED, DENY_ALL]) {
      expect(judge(readOnly(policy), { tool: 'mcp__ghost__x', input: {} })).toMatchObject({
        kind: 'deny',
        source: 'capability',
        message: expect.stringContaining('frozen capability set') as unknown as string,
        original_verdict: null,
      });
    }
    expect(judge(spec({ policy: UNRESTRICTED }), { tool: 'mcp__kb', input: {} })).toMatchObject({
      kind: 'deny',
      source: 'capability',
      message: GATE_MESSAGES.malformedMcpName,
    });
  });

  it('CP-317 the trust tier comes before policy and records what policy said', () => {
    for (const [tool, input] of [
      ['Edit', { file_path: '/workspace/a' }],
      ['TodoWrite', {}],
      ['BashOutput', {}],
      ['Bash', {}],
    ] as const) {
      expect(judge(readOnly(UNRESTRICTED), { tool, input })).toMatchObject({
        kind: 'deny',
        source: 'trust_tier',
        original_verdict: 'allow',
        message: expect.stringContaining('read-only trust tier') as unknown as string,
      });
    }
    expect(judge(readOnly(DENY_ALL), { tool: 'Write', input: {} })).toMatchObject({
      source: 'trust_tier',
      original_verdict: 'deny',
    });
  });

  it('CP-317 passing the tier is no allow', () => {
    expect(judge(readOnly(DENY_ALL), { tool: 'Glob', input: {} })).toMatchObject({ kind: 'deny', source: 'policy' });
  });

  it('CP-026 CP-027 denies what policy denies, with its reason', () => {
    expect(call('WebFetch', {})).toMatchObject({
      kind: 'deny',
      source: 'policy',
      original_verdict: null,
      message: 'network egress',
    });
    expect(call('Bash', { command: 'curl x' })).toMatchObject({ kind: 'deny', source: 'policy' });
  });

  it.each([
    ['built in', 'Read', { file_path: '/workspace/a' }],
    ['of a bundle', 'mcp__kb__find', { q: 'a' }],
    ['of a binding', 'mcp__crm__find', { q: 'a' }],
  ])(
    'CP-027 a tool %s is available to the run, and denied or held all the same when policy says so',
    (_what, tool, input) => {
      const decide = (action: string): GateVerdict => {
        const policy = compilePolicy({
          name: action,
          defaults: { tool_action: 'allow' },
          tools: [{ match: [tool], action }],
        });
        return judge(spec({ policy, tools: KB_AND_CRM }), { tool, input, schema: { kind: 'valid' } });
      };
      expect(decide('allow')).toMatchObject({ kind: 'allow', source: 'policy' });
      expect(decide('deny')).toMatchObject({ kind: 'deny', source: 'policy' });
      expect(decide('approve')).toMatchObject({ kind: 'require_approval' });
    },
  );

  it('CP-006 asks with the terms of the rule', () => {
    expect(call('Bash', { command: 'make' })).toMatchObject({
      kind: 'require_approval',
      approval: { scope_key: 'make', scope_keys: ['make'], ttl_secs: 600, scope: 'once' },
    });
  });

  it('CP-077 never asks in an autonomous run', () => {
    expect(judge(spec({ autonomy: 'autonomous' }), { tool: 'CronCreate', input: {} })).toMatchObject({
      kind: 'deny',
      source: 'autonomy_rewrite',
      original_verdict: 'require_approval',
      message: AUTONOMOUS_REASON,
    });
    expect(judge(spec({ autonomy: 'autonomous' }), { tool: 'Read', input: {} })).toMatchObject({
      kind: 'allow',
      source: 'policy',
    });
  });
});

describe('the schema stage', () => {
  const find = (given: Partial<GateSpec>, schema?: GateCall['schema']): GateVerdict =>
    judge(spec({ tools: KB_FROZEN, ...given }), {
      tool: 'mcp__kb__find',
      input: {},
      ...(schema === undefined ? {} : { schema }),
    });
  const REJECTED = { kind: 'rejected', pointers: '(root)' } as const;

  it('CP-313 denies arguments that the frozen schema rejects, naming places and no values', () => {
    expect(find({ policy: UNRESTRICTED }, REJECTED)).toEqual({
      kind: 'deny',
      source: 'schema',
      original_verdict: null,
      reason: 'arguments rejected by frozen schema: (root)',
      message: 'arguments rejected by frozen schema: (root)',
      explanation: null,
    });
  });

  it('CP-316 denies a tool whose frozen schema is no use, and says why in the ledger alone', () => {
    expect(find({ policy: UNRESTRICTED }, { kind: 'unusable', reason: 'it does not compile' })).toMatchObject({
      kind: 'deny',
      source: 'schema',
      reason: 'frozen schema invalid — refresh the snapshot: it does not compile',
      message: 'frozen schema invalid — refresh the snapshot',
    });
  });

  it('CP-024 refuses a frozen tool whose schema nobody asked', () => {
    expect(find({ policy: UNRESTRICTED })).toMatchObject({ kind: 'deny', source: 'schema' });
  });

  it('CP-317 lets what the schema accepts go on to trust tier and policy', () => {
    expect(find({ policy: UNRESTRICTED }, { kind: 'valid' })).toMatchObject({ kind: 'allow', source: 'policy' });
    expect(find({ policy: DENY_ALL }, { kind: 'valid' })).toMatchObject({ kind: 'deny', source: 'policy' });
    expect(find({}, { kind: 'valid' }).kind).toBe('require_approval');
    expect(find({ policy: UNRESTRICTED, trustTier: 'read_only' }, { kind: 'valid' })).toMatchObject({
      kind: 'deny',
      source: 'trust_tier',
      original_verdict: 'allow',
    });
  });

  it('CP-317 comes after the tool set and before trust tier and policy', () => {
    expect(find({ tools: NOTHING_FROZEN }, REJECTED)).toMatchObject({ source: 'capability' });
    for (const policy of [UNRESTRICTED, DENY_ALL]) {
      expect(find({ policy, trustTier: 'read_only' }, REJECTED)).toMatchObject({
        source: 'schema',
        original_verdict: null,
      });
    }
  });

  it('CP-317 does not concern built-in tools', () => {
    expect(judge(spec({ policy: UNRESTRICTED }), { tool: 'Read', input: {}, schema: REJECTED }).kind).toBe('allow');
    expect(judge(spec({ policy: UNRESTRICTED }), { tool: 'MCP__kb__find', input: {} }).kind).toBe('allow');
  });
});

describe('a denial before policy', () => {
  const action = fc.constantFrom('allow', 'approve', 'deny');
  const rule = fc.record({
    match: fc.array(fc.constantFrom('*', 'mcp__*', 'mcp__kb__find', 'Bash', 'Edit', 'Write*'), {
      minLength: 1,
      maxLength: 3,
    }),
    action,
    on_autonomous: fc.constantFrom('allow', 'deny', null),
    approval_scope: fc.constantFrom('once', 'session', null),
  });
  const policies = fc
    .record({
      tools: fc.array(rule, { maxLength: 4 }),
      defaults: fc.record({ tool_action: action }),
      autonomy: fc.record({ on_approval_rule: fc.constantFrom('allow', 'deny') }),
    })
    .map((document) => compilePolicy({ name: 'any', ...document }));
  const autonomies = fc.constantFrom('supervised', 'autonomous');
  const tiers = fc.constantFrom('trusted', 'read_only');
  const findings = fc.constantFrom<NonNullable<GateCall['schema']>>(
    { kind: 'rejected', pointers: '/q' },
    { kind: 'unusable', reason: 'it does not compile' },
  );
  const inputs = fc.constantFrom<ExactJson>({}, { command: 'rm -rf build' }, { file_path: '/workspace/a' }, null);

  it('CP-311 CP-313 CP-317 is lifted by no policy, no autonomy, and leads to no question that a grant or a human could answer', () => {
    fc.assert(
      fc.property(policies, autonomies, tiers, findings, inputs, (policy, autonomy, trustTier, schema, input) => {
        const given = spec({ policy, autonomy, trustTier, tools: KB_FROZEN });
        expect(judge(given, { tool: 'mcp__kb__other', input, schema })).toMatchObject({
          kind: 'deny',
          source: 'capability',
        });
        expect(judge(given, { tool: 'mcp__kb', input, schema })).toMatchObject({ kind: 'deny', source: 'capability' });
        expect(judge(given, { tool: 'mcp__kb__find', input, schema })).toMatchObject({
          kind: 'deny',
          source: 'schema',
        });
        const readOnlyRun = { ...given, trustTier: 'read_only' as const };
        for (const tool of ['Edit', 'Bash', 'TodoWrite', 'NewTool', 'mcp__kb__find']) {
          expect(judge(readOnlyRun, { tool, input, schema: { kind: 'valid' } })).toMatchObject({
            kind: 'deny',
            source: 'trust_tier',
          });
        }
      }),
    );
  });
});

describe('what cannot be shown is not asked', () => {
  it.each<[string, ExactJson]>([
    ['an input over 64 KiB', { command: `make ${'x'.repeat(65_536)}` }],
    ['an input over 64 KiB of UTF-8', { command: `make ${'é'.repeat(33_000)}` }],
    ['a NUL', { note: 'a\0b' }],
    ['a lone surrogate', { note: 'a\ud800' }],
  ])('denies %s', (_what, input) => {
    expect(judge(spec(), { tool: 'NewTool', input })).toMatchObject({
      kind: 'deny',
      source: 'policy',
      message: expect.stringContaining('cannot be shown to a human') as unknown as string,
    });
  });

  it('asks for text that merely looks like an escape, and never delays what policy allows', () => {
    expect(judge(spec(), { tool: 'NewTool', input: { note: 'a\\u0000' } }).kind).toBe('require_approval');
    expect(judge(spec(), { tool: 'Read', input: { note: 'x'.repeat(100_000) } }).kind).toBe('allow');
  });
});

describe('inputs as they come off the wire', () => {
  it('judges kept numbers and prototype names like any other data', () => {
    const input = parseJsonPreservingNumbers('{"__proto__":{"command":"ls"},"command":1.0}');
    expect(judge(spec(), { tool: 'Bash', input })).toMatchObject({
      kind: 'require_approval',
      approval: { scope_keys: null },
    });
  });

  it('takes an absent input for null', () => {
    expect(call('Read').kind).toBe('allow');
    expect(call('Write').kind).toBe('require_approval');
  });
});
