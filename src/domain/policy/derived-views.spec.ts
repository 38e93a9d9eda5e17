import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CANONICAL_TOOLS } from '../tools/vocabulary.js';
import { autonomySummary, canAsk } from './autonomy-summary.js';
import { canonicalContent, canonicalPolicy } from './canonical-form.js';
import { compileDocument } from './compile-policy.js';
import { blankPolicy, type PolicyDocument } from './document.js';
import { evaluate } from './evaluate.js';
import { governanceMatrix, type MatrixRow } from './governance-matrix.js';
import { parsePolicyLenient, parsePolicyStrict } from './parse-policy.js';
import { parsePolicyYaml, policyToYaml } from './policy-yaml.js';
import { toolStatus } from './tool-status.js';
import type { ToolCall } from './verdict.js';

const policy = (tools: object[], more: object = {}): PolicyDocument =>
  parsePolicyStrict({ name: 'x', tools: tools as never, ...more });
const seeded = (name: string): PolicyDocument =>
  parsePolicyYaml(readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), 'utf8'));

describe('tool status', () => {
  const compiled = compileDocument(
    policy([
      { match: ['Read'], action: 'allow' },
      { match: ['Edit'], action: 'allow', paths: { allow: ['/workspace/**'], deny: ['**/.env'] } },
      { match: ['Write'], action: 'deny', paths: { allow: ['/workspace/**'] } },
      { match: ['Bash*'], action: 'allow', shell: { allow_prefixes: ['ls'], on_no_match: 'deny' } },
      { match: ['Both'], action: 'approve', shell: { deny_regex: ['rm'] }, paths: { allow: ['/a/**'] } },
      { match: ['Read', 'Glob'], action: 'deny', paths: {} },
    ]),
  );
  const none = {
    paths_allow: [],
    paths_deny: [],
    paths_on_no_match: null,
    shell_allow_prefixes: [],
    shell_deny_regex: [],
    shell_on_no_match: null,
  };

  it.each([
    ['Read', { status: 'unconditional', action: 'allow', rule: 0 }],
    ['Nothing', { status: 'default', action: 'approve' }],
    [
      'Edit',
      {
        status: 'conditional',
        action: 'allow',
        rule: 1,
        constraints: { ...none, paths_allow: ['/workspace/**'], paths_deny: ['**/.env'], paths_on_no_match: 'approve' },
      },
    ],
    [
      'Write',
      {
        status: 'conditional',
        action: 'deny',
        rule: 2,
        constraints: { ...none, paths_allow: ['/workspace/**'], paths_on_no_match: 'deny' },
      },
    ],
    [
      'BashOutput',
      {
        status: 'conditional',
        action: 'allow',
        rule: 3,
        constraints: { ...none, shell_allow_prefixes: ['ls'], shell_on_no_match: 'deny' },
      },
    ],
    [
      'Both',
      {
        status: 'conditional',
        action: 'approve',
        rule: 4,
        constraints: { ...none, shell_deny_regex: ['rm'], shell_on_no_match: 'approve' },
      },
    ],
    ['Glob', { status: 'conditional', action: 'deny', rule: 5, constraints: none }],
  ])('of %s comes from its first rule', (tool, expected) => {
    expect(toolStatus(compiled, tool)).toEqual(expected);
  });
});

describe('autonomy summary', () => {
  it('counts what a rule says of autonomous runs only where it can ask', () => {
    const on = { on_autonomous: 'allow' };
    const summary = autonomySummary(
      policy(
        [
          { match: ['a'], action: 'approve', ...on },
          { match: ['b'], action: 'allow', ...on },
          { match: ['c'], action: 'deny', ...on },
          { match: ['d'], action: 'allow', paths: { allow: ['/a'] }, ...on },
          { match: ['e'], action: 'deny', paths: { allow: ['/a'] }, ...on },
          { match: ['f'], action: 'deny', shell: {}, ...on },
          { match: ['g'], action: 'allow', shell: { on_no_match: 'deny' }, paths: { allow: ['/a'] }, ...on },
          { match: ['h'], action: 'approve', on_autonomous: 'deny' },
          { match: ['i'], action: 'approve' },
        ],
        { autonomy: { permitted: false, on_approval_rule: 'allow' } },
      ),
    );
    expect(summary).toEqual({ permitted: false, default_fallback: 'allow', allow_overrides: 3, deny_overrides: 1 });
  });

  it('a rule that asks for any call is one that can ask', () => {
    const action = fc.constantFrom('allow', 'approve', 'deny');
    const globs = fc.subarray(['/workspace/**', '**/.env', '/tmp/*']);
    const rule = fc.record({
      match: fc.constant(['*']),
      action,
      paths: fc.option(fc.record({ allow: globs, deny: globs })),
      shell: fc.option(
        fc.record({
          allow_prefixes: fc.subarray(['ls', 'cat', 'env | grep']),
          deny_regex: fc.subarray(['rm', 'curl']),
          on_no_match: action,
        }),
      ),
    });
    const input = fc.record(
      {
        command: fc.constantFrom('ls', 'ls; id', 'eval x', 'cat a > b', 'rm x', '', 'env | grep X', 'bash -c "ls"'),
        file_path: fc.constantFrom('/workspace/a', '/workspace/.env', '~/x', '/tmp/a', '$X/y', 'src/a.ts'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(rule, input, (made, call) => {
        const document = policy([made]);
        const { verdict } = evaluate(compileDocument(document), { tool: 'T', input: call }, 'supervised');
        return verdict !== 'require_approval' || canAsk(document.tools[0]!);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('governance matrix', () => {
  const verdicts = (rows: MatrixRow[]): string[] => rows.map(({ tool, verdict }) => `${tool} ${verdict}`);

  it('lists the vocabulary in its order, then MCP tools sorted and once', () => {
    const rows = governanceMatrix(compileDocument(blankPolicy('x')), [
      'mcp__kb__find',
      'mcp__ab__x__y',
      'mcp__kb__find',
    ]);
    expect(rows.map(({ tool }) => tool)).toEqual([
      ...CANONICAL_TOOLS.map(({ name }) => name),
      'mcp__ab__x__y',
      'mcp__kb__find',
    ]);
    expect(rows.slice(-2).map(({ group, server }) => [group, server])).toEqual([
      [null, 'ab'],
      [null, 'kb'],
    ]);
    expect(rows[0]).toMatchObject({ tool: 'Read', group: 'files', server: null });
  });

  it('CP-101 under an empty rule set every tool asks, alone or in an autonomous run it is denied', () => {
    const blank = compileDocument(blankPolicy('x'));
    const rows = governanceMatrix(blank, ['mcp__kb__find']);
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(['require_approval']));
    for (const { tool } of rows) expect(evaluate(blank, { tool, input: {} }, 'autonomous').verdict).toBe('deny');
  });

  it('never shows a constrained rule as a plain allow', () => {
    const rows = verdicts(governanceMatrix(compileDocument(seeded('default')), ['mcp__kb__find']));
    expect(rows).toEqual(
      expect.arrayContaining([
        'Read allow',
        'Edit require_approval',
        'Bash require_approval',
        'WebFetch deny',
        'Agent deny',
        'CronCreate require_approval',
        'mcp__kb__find require_approval',
      ]),
    );
    expect(verdicts(governanceMatrix(compileDocument(seeded('governed')), []))).toContain('Bash deny');
    expect(new Set(governanceMatrix(compileDocument(seeded('unrestricted')), []).map((row) => row.verdict))).toEqual(
      new Set(['allow']),
    );
  });

  it('an unconditional row is what the gate says of any call of that tool', () => {
    const inputs: ToolCall['input'][] = [{}, null, { command: 'rm -rf /' }, { file_path: '/etc/passwd' }];
    for (const name of ['default', 'standard', 'governed', 'unrestricted']) {
      const compiled = compileDocument(seeded(name));
      for (const { tool, verdict, status } of governanceMatrix(compiled, ['mcp__kb__find'])) {
        if (status.status === 'conditional') continue;
        for (const input of inputs) expect(evaluate(compiled, { tool, input }, 'supervised').verdict).toBe(verdict);
      }
    }
  });
});

describe('stored content', () => {
  it('of an old document is folded, and reading it again changes nothing', () => {
    const old = { name: 'x', gone: 1, tools: [], managed_overrides: [{ tool: 'Bash', action: 'deny' }] };
    const content = canonicalContent(old);
    expect(content).toEqual(canonicalPolicy(policy([{ match: ['Bash'], action: 'deny' }])));
    expect(canonicalContent(content)).toEqual(content);
    expect(parsePolicyLenient(old)).toEqual(parsePolicyStrict(content));
    expect(() => parsePolicyStrict(old)).toThrow(/gone.*managed_overrides/);
    expect(policyToYaml(content)).not.toContain('managed_overrides');
  });

  it('keeps targets of the network section, their numbers as numbers', () => {
    const document = parsePolicyYaml(
      'name: x\nnetwork: {max_mode: approved, deny: [{kind: cidr, cidr: 10.0.0.0/8, protocol: tcp, ports: [{from: 1, to: 2}]}]}',
    );
    expect(canonicalPolicy(document)['network']).toMatchObject({
      deny: [{ cidr: '10.0.0.0/8', ports: [{ from: 1, to: 2 }] }],
    });
  });
});
