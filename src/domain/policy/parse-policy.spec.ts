import { describe, expect, it } from '@jest/globals';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import type { ExactJson } from '../digest/exact-json.js';
import { canonicalPolicy } from './canonical-form.js';
import { compileFrozenPolicy, compilePolicy, policyDefects } from './compile-policy.js';
import { blankPolicy, POLICY_ENGINE } from './document.js';
import { evaluate } from './evaluate.js';
import { parsePolicyLenient, parsePolicyStrict, validatePolicy } from './parse-policy.js';
import { parsePolicyYaml, policyToYaml } from './policy-yaml.js';

const rule = (extra: object): ExactJson => ({ name: 'x', tools: [{ match: ['Bash'], action: 'allow', ...extra }] });
const errors = (content: ExactJson): string => validatePolicy(content).errors.join('\n');

describe('strict parser', () => {
  it('fills in every default', () => {
    expect(parsePolicyStrict({ name: 'x' })).toEqual(blankPolicy('x'));
    expect(canonicalPolicy(parsePolicyStrict(rule({}))).tools).toEqual([
      {
        match: ['Bash'],
        action: 'allow',
        risk: null,
        paths: null,
        shell: null,
        on_autonomous: null,
        approval_ttl_secs: null,
        approval_scope: null,
      },
    ]);
  });

  it('reads its own canonical form again, and from YAML too', () => {
    const document = parsePolicyStrict(rule({ shell: {}, paths: { deny: ['a'] }, risk: 'r' }));
    expect(parsePolicyStrict(canonicalPolicy(document))).toEqual(document);
    expect(parsePolicyYaml(policyToYaml(canonicalPolicy(document)))).toEqual(document);
  });

  it('takes budgets that are present as the whole truth', () => {
    expect(parsePolicyStrict({ name: 'x', budgets: {} }).budgets).toEqual({
      max_wall_clock_secs: null,
      max_tokens: null,
      max_cost_usd: null,
      max_tool_calls: null,
    });
    expect(parsePolicyStrict({ name: 'x', budgets: { max_cost_usd: -1, max_tool_calls: 0 } }).budgets).toMatchObject({
      max_cost_usd: -1,
      max_tool_calls: 0,
    });
  });

  it.each<[ExactJson, string]>([
    [{ name: 'x', extra: 1 }, 'extra'],
    [{ name: 'x', managed_overrides: [] }, 'managed_overrides'],
    [{ name: 'x', defaults: { action: 'allow' } }, 'action'],
    [{ name: 'x', egress: { hosts: [] } }, 'hosts'],
    [{ name: 'x', budgets: { cost: 1 } }, 'cost'],
    [{ name: 'x', approvals: { ttl: 1 } }, 'ttl'],
    [{ name: 'x', autonomy: { allowed: true } }, 'allowed'],
    [{ name: 'x', network: { mode: 'public' } }, 'mode'],
    [rule({ hosts: [] }), 'hosts'],
    [rule({ paths: { only: [] } }), 'only'],
    [rule({ shell: { prefix: [] } }), 'prefix'],
  ])('refuses an unknown key and names it: %j', (content, key) => {
    expect(errors(content)).toContain(`unknown key \`${key}\``);
  });

  it.each<[ExactJson, string]>([
    [{}, '`name` is required'],
    [{ name: '  ' }, '`name` is blank'],
    [{ name: 3 }, '`name` must be a string'],
    [[], 'must be an object'],
    [{ name: 'x', defaults: null }, '`defaults` must be an object'],
    [{ name: 'x', network: null }, '`network` must be an object'],
    [{ name: 'x', defaults: { tool_action: 'Allow' } }, '`defaults.tool_action` must be one of allow, approve, deny'],
    [{ name: 'x', approvals: { timeout_action: 'allow' } }, '`approvals.timeout_action`'],
    [{ name: 'x', approvals: { default_ttl_secs: -1 } }, '`approvals.default_ttl_secs` must be at least 0'],
    [{ name: 'x', autonomy: { permitted: 'yes' } }, '`autonomy.permitted` must be true or false'],
    [{ name: 'x', autonomy: { on_approval_rule: 'approve' } }, '`autonomy.on_approval_rule`'],
    [{ name: 'x', tools: {} }, '`tools` must be an array'],
    [{ name: 'x', tools: [{ action: 'allow' }] }, '`tools[0].match` is required'],
    [{ name: 'x', tools: [{ match: ['a'] }] }, '`tools[0].action` is required'],
    [{ name: 'x', tools: [{ match: [], action: 'allow' }] }, '`tools[0].match` is empty'],
    [{ name: 'x', tools: [{ match: 'Bash', action: 'allow' }] }, '`tools[0].match` must be an array'],
    [rule({ shell: { deny_regex: ['('] } }), '`tools[0].shell.deny_regex`: the pattern `(`'],
    [rule({ shell: { deny_regex: ['(?=a)'] } }), '`(?=a)`'],
    [rule({ shell: { deny_regex: ['(a)\\1'] } }), 'deny_regex'],
    [rule({ paths: { allow: ['[a'] } }), '`tools[0].paths`: the glob `[a`'],
    [rule({ paths: { deny: ['{a'] } }), '`{a`'],
    [rule({ on_autonomous: 'approve' }), '`tools[0].on_autonomous`'],
    [rule({ approval_ttl_secs: 1.5 }), '`tools[0].approval_ttl_secs` must be an integer'],
  ])('refuses %j', (content, message) => {
    expect(errors(content)).toContain(message);
  });

  it('bounds texts by their bytes, not their characters', () => {
    expect(errors(rule({ risk: 'é'.repeat(512) }))).toBe('');
    expect(errors(rule({ risk: 'é'.repeat(512) + 'x' }))).toContain('`tools[0].risk`');
  });

  it.each(['defaults', 'egress', 'budgets', 'approvals', 'autonomy', 'tools', 'network'])(
    'takes %s as absent only when it is left out, never as null',
    (section) => {
      expect(errors({ name: 'x', [section]: null })).toMatch(new RegExp(`^\`${section}\` must be an (?:object|array)`));
    },
  );

  it('takes null for what a rule leaves out', () => {
    const optional = ['risk', 'paths', 'shell', 'on_autonomous', 'approval_ttl_secs', 'approval_scope'];
    expect(errors(rule(Object.fromEntries(optional.map((key) => [key, null]))))).toBe('');
    expect(errors(rule({ paths: { allow: null } }))).toContain('`tools[0].paths.allow` must be an array');
  });

  it('refuses text that cannot be stored', () => {
    for (const text of ['a\0b', '\ud800']) {
      expect(errors(rule({ risk: text }))).toContain('`tools[0].risk` must not contain');
      expect(errors(rule({ match: [text] }))).toContain('`tools[0].match[0]` must not contain');
      expect(errors({ name: text })).toContain('`name` must not contain');
    }
  });

  it('wants integers written as integers', () => {
    const text = '{"name":"x","budgets":{"max_wall_clock_secs":600.0,"max_cost_usd":5.0}}';
    expect(errors(parseJsonPreservingNumbers(text))).toBe('`budgets.max_wall_clock_secs` must be an integer');
  });

  it('accepts what it does not check', () => {
    const content = {
      name: 'x',
      tools: [{ match: ['NoTool', '', 'NoTool'], action: 'deny', on_autonomous: 'allow', paths: {}, shell: {} }],
    };
    expect(errors(content)).toBe('');
  });

  it.each<[string, (count: number) => ExactJson, number, string]>([
    [
      'rules',
      (n) => ({ name: 'x', tools: Array.from({ length: n }, () => ({ match: ['a'], action: 'allow' })) }),
      512,
      '`tools`',
    ],
    [
      'matchers',
      (n) => ({ name: 'x', tools: [{ match: Array(n).fill('a'), action: 'allow' }] }),
      256,
      '`tools[0].match`',
    ],
    ['patterns', (n) => rule({ paths: { deny: Array(n).fill('a') } }), 256, '`tools[0].paths.deny`'],
    [
      'patterns',
      (n) => rule({ shell: { allow_prefixes: Array(n).fill('a') } }),
      256,
      '`tools[0].shell.allow_prefixes`',
    ],
    ['1024 bytes', (n) => rule({ risk: 'a'.repeat(n) }), 1024, '`tools[0].risk`'],
    ['1024 bytes', (n) => ({ name: 'n'.repeat(n) }), 1024, '`name`'],
    ['1024 bytes', (n) => rule({ shell: { deny_regex: ['a'.repeat(n)] } }), 1024, '`tools[0].shell.deny_regex[0]`'],
    ['1024 bytes', (n) => rule({ match: ['a'.repeat(n)] }), 1024, '`tools[0].match[0]` (matchers)'],
    ['1024 bytes', (n) => rule({ paths: { allow: ['a'.repeat(n)] } }), 1024, '`tools[0].paths.allow[0]` (patterns)'],
    [
      '1024 bytes',
      (n) => rule({ shell: { allow_prefixes: ['a'.repeat(n)] } }),
      1024,
      '`tools[0].shell.allow_prefixes[0]`',
    ],
    ['patterns', (n) => rule({ paths: { allow: Array(n).fill('a') } }), 256, '`tools[0].paths.allow`'],
    ['patterns', (n) => rule({ shell: { deny_regex: Array(n).fill('a') } }), 256, '`tools[0].shell.deny_regex`'],
  ])('holds the bound on %s at the limit and beyond', (word, make, limit, field) => {
    expect(errors(make(limit))).toBe('');
    expect(errors(make(limit + 1))).toContain(field);
    expect(errors(make(limit + 1))).toContain(word);
    expect(errors(make(limit + 1))).toContain(String(limit));
  });

  it('collects every fault and throws them as one invalid request', () => {
    expect(() => parsePolicyStrict({ a: 1, b: 2 })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(/`a`.*`b`.*`name`/) as unknown as string,
      }),
    );
  });

  it('checks the targets of the network section', () => {
    const network = (target: object): ExactJson => ({ name: 'x', network: { allow: [target] } }) as ExactJson;
    const dns = {
      kind: 'dns',
      pattern: { kind: 'wildcard', suffix: 'example.org' },
      ports: [{ from: 443, to: 443 }],
      protocol: 'tcp',
    };
    expect(errors(network(dns))).toBe('');
    expect(errors(network({ ...dns, pattern: { kind: 'wildcard', suffix: 'org' } }))).toContain('two labels');
    expect(errors(network({ ...dns, ports: [] }))).toContain('ports');
    expect(errors(network({ ...dns, ports: [{ from: 2, to: 1 }] }))).toContain('ports[0]');
    expect(errors(network({ ...dns, protocol: 'icmp' }))).toContain('protocol');
    expect(errors(network({ ...dns, note: 'lost' }))).toContain('unknown key `note` in `network.allow[0]`');
    const noted = { kind: 'exact', name: 'a.b', note: 1 };
    expect(errors(network({ ...dns, pattern: noted }))).toContain('unknown key `note` in `network.allow[0].pattern`');
  });
});

describe('lenient parser', () => {
  it('ignores unknown keys and bounds, so that old policies go on governing', () => {
    const old = {
      name: '',
      extra: 1,
      tools: [{ match: Array(300).fill('a'), action: 'deny', risk: 'r'.repeat(2000), old: true }],
    };
    expect(parsePolicyLenient(old as ExactJson).tools[0]).toMatchObject({ action: 'deny' });
    expect(errors(old as ExactJson)).not.toBe('');
  });

  it.each([
    ['pattern', { shell: { allow_prefixes: ['ls'], deny_regex: ['rm', '('] } }, 'tools[1].shell.deny_regex', '('],
    ['glob', { paths: { allow: [], deny: ['/etc/[z-a]'] } }, 'tools[1].paths.deny', '/etc/[z-a]'],
  ])(
    'denies every call under a deny %s that does not compile, whatever the tool, and names it',
    (_what, rule, at, source) => {
      const policy = compilePolicy({
        name: 'x',
        defaults: { tool_action: 'allow' },
        tools: [
          { match: ['Read'], action: 'allow' },
          { match: ['Bash'], action: 'allow', ...rule },
        ],
      });
      expect(policyDefects(policy.document)).toEqual(policy.defects);
      for (const [tool, input] of [
        ['Read', {}],
        ['Bash', { command: 'ls' }],
        ['mcp__kb__find', {}],
      ] as const) {
        for (const mode of ['supervised', 'autonomous'] as const) {
          const { verdict, reason, explanation } = evaluate(policy, { tool, input }, mode);
          expect([verdict, explanation.decided_by]).toEqual(['deny', 'invalid_policy']);
          expect(reason).toContain(`\`${at}\``);
          expect(reason).toContain(`\`${source}\` is not valid`);
        }
      }
    },
  );

  it('skips what does not compile and would only have allowed something', () => {
    const policy = compilePolicy({
      name: 'x',
      tools: [{ match: ['Read'], action: 'allow', paths: { allow: ['/etc/[z-a]', '/workspace/**'] } }],
    });
    const verdictOf = (path: string) =>
      evaluate(policy, { tool: 'Read', input: { file_path: path } }, 'supervised').verdict;
    expect([verdictOf('/workspace/a'), verdictOf('/etc/a')]).toEqual(['allow', 'require_approval']);
  });

  it.each([
    [
      'content that is no policy',
      { name: 'x', tools: [{ match: ['a'], action: 'maybe' }] },
      POLICY_ENGINE,
      'tools[0].action',
    ],
    ['rules that this version lacks', { name: 'x', defaults: { tool_action: 'allow' } }, 99, 'policy engine 99'],
  ])('has a run that froze %s denied every call, and says why', (_what, content, engine, why) => {
    const { verdict, reason } = evaluate(
      compileFrozenPolicy(content, engine),
      { tool: 'Read', input: {} },
      'supervised',
    );
    expect([verdict, reason]).toEqual(['deny', expect.stringContaining(why)]);
  });

  it('never decides with content that is no policy', () => {
    expect(() => compilePolicy({ name: 'x', tools: [{ match: ['a'], action: 'maybe' }] })).toThrow(
      expect.objectContaining({ code: 'internal' }),
    );
    expect(() => compilePolicy({ name: 'x' }, 99)).toThrow('policy engine 99');
    expect(() => compilePolicy({ name: 'x' }, 1)).toThrow('policy engine 1');
    expect(compilePolicy({ name: 'x' }, POLICY_ENGINE).document).toEqual(compilePolicy({ name: 'x' }).document);
  });

  it('never emits folded overrides again', () => {
    const content = canonicalPolicy(
      parsePolicyLenient({ name: 'x', managed_overrides: [{ tool: 'Bash', action: 'deny' }] }),
    );
    expect(content).not.toHaveProperty('managed_overrides');
    expect(content['tools']).toMatchObject([{ match: ['Bash'], action: 'deny' }]);
  });
});
