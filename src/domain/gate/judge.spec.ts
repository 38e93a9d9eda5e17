import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import type { CompiledPolicy } from '../policy/compile-policy.js';
import { compileDocument, compilePolicy } from '../policy/compile-policy.js';
import { parsePolicyYaml } from '../policy/policy-yaml.js';
import type { GateSpec, GateVerdict } from './gate-verdict.js';
import { judge } from './judge.js';
import { GATE_MESSAGES } from './messages.js';

function seeded(name: string): CompiledPolicy {
  return compileDocument(
    parsePolicyYaml(readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), 'utf8')),
  );
}

const UNRESTRICTED = seeded('unrestricted');
const DEFAULT = seeded('default');
const DENY_ALL = compilePolicy({ name: 'F2', tools: [{ match: ['*'], action: 'deny' }] });

const spec = (overrides: Partial<GateSpec> = {}): GateSpec => ({
  policy: DEFAULT,
  autonomy: 'supervised',
  trustTier: 'trusted',
  maxToolCalls: null,
  ...overrides,
});
const readOnly = (policy: CompiledPolicy): GateSpec => spec({ policy, trustTier: 'read_only' });
const call = (tool: string, input?: ExactJson): GateVerdict => judge(spec(), { tool, input });

describe('order of the gate', () => {
  it('CP-317 budget comes before the frozen set', () => {
    const verdict = judge(spec({ maxToolCalls: 2 }), { tool: 'mcp__kb', input: {}, toolCalls: 3 });
    expect(verdict).toMatchObject({ kind: 'deny', source: 'budget', message: 'tool-call budget exceeded' });
  });

  it('CP-076 lets exactly the capped number of calls through, and none at 0', () => {
    const at = (cap: number, toolCalls: number): string =>
      judge(spec({ maxToolCalls: cap }), { tool: 'Read', input: {}, toolCalls }).kind;
    expect([at(2, 2), at(2, 3), at(0, 1)]).toEqual(['allow', 'deny', 'deny']);
  });

  it('CP-317 CP-311 the frozen set comes before trust tier and policy', () => {
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
      message: GATE_MESSAGES.autonomousNeedsHuman,
    });
    expect(judge(spec({ autonomy: 'autonomous' }), { tool: 'Read', input: {} })).toMatchObject({
      kind: 'allow',
      source: 'policy',
    });
  });
});

describe('read-only trust tier', () => {
  const passes = (command: string): boolean =>
    judge(readOnly(UNRESTRICTED), { tool: 'Bash', input: { command } }).kind === 'allow';

  it.each(['cat a.txt', 'ls', '  ls -la ', 'git log --oneline', 'git branch -D x', 'grep "a b" c', 'rg x\ty'])(
    'passes %j',
    (command) => {
      expect(passes(command)).toBe(true);
    },
  );

  it.each([
    'cat a | wc',
    'ls; id',
    'ls && id',
    'ls\nid',
    'ls $(id)',
    'ls `id`',
    'ls > x',
    'cat < x',
    'lsof',
    'git push',
    'git',
    'echo x',
    'FOO=1 ls',
    'ls"x"',
    'LS',
    '',
    'bash -c ls',
    'ls\rid',
    'cat\0x',
    'ls ${x}',
    '(ls)',
    'ls &',
    'ls\u00a0x',
    'ls "',
  ])('refuses %j', (command) => {
    expect(passes(command)).toBe(false);
  });

  it('quotes at most 120 characters of a command', () => {
    const verdict = judge(readOnly(DEFAULT), { tool: 'Bash', input: { command: `rm ${'x'.repeat(500)}` } });
    const message = verdict.kind === 'deny' ? verdict.message : '';
    expect(message).toContain(`\`rm ${'x'.repeat(117)}\``);
    expect(message.length).toBeLessThan(200);
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
