import { describe, expect, it } from '@jest/globals';
import { readSeededPolicy } from '../../../test/support/policies/seeded-policies.js';
import type { ExactJson } from '../digest/exact-json.js';
import { canonicalPolicy } from './canonical-form.js';
import type { CompiledPolicy } from './compile-policy.js';
import { compileDocument, compilePolicy } from './compile-policy.js';
import { blankPolicy } from './document.js';
import { AUTONOMOUS_REASON, evaluate } from './evaluate.js';
import { parsePolicyYaml } from './policy-yaml.js';
import type { AutonomyMode, PolicyVerdict } from './verdict.js';

function fixture(rules: string, extra = ''): CompiledPolicy {
  const document = parsePolicyYaml(`name: fixture\n${extra}tools:\n${rules}`);
  return compilePolicy(canonicalPolicy(document));
}

const seeded = (name: string): CompiledPolicy => compileDocument(readSeededPolicy(name));

const F1 = fixture(
  `- {match: [Read, Grep], action: allow}
- {match: [Edit, Write, MultiEdit], action: allow, paths: {allow: ["/workspace/**"], deny: ["**/*.pem", "**/.env"]}}
- {match: [Bash], action: allow, risk: unlisted, shell: {allow_prefixes: ["ls", "git status", "npm run "], deny_regex: ["\\\\bcurl\\\\b", "^rm\\\\s"]}}
- {match: [WebFetch], action: deny, risk: egress blocked}
- {match: ["mcp__kb__*"], action: allow}
- {match: ["mcp__*"], action: approve, on_autonomous: allow, approval_ttl_secs: 60, approval_scope: session}
`,
  'approvals: {default_ttl_secs: 300}\n',
);

const POLICIES: Record<string, CompiledPolicy> = {
  F1,
  F2: fixture('- {match: ["*"], action: deny}\n- {match: [Read], action: allow}\n'),
  F3: fixture('- {match: [Bash], action: approve, shell: {allow_prefixes: ["git push"], on_no_match: deny}}\n'),
  F4: fixture('- {match: [Bash], action: approve}\n'),
  F5: fixture('- {match: [Write], action: allow, paths: {deny: ["**/.env"]}}\n'),
  F6: fixture('- {match: [Edit], action: allow, shell: {on_no_match: allow}, paths: {allow: ["/workspace/**"]}}\n'),
  F7: fixture('- {match: [Write], action: deny, paths: {allow: ["/workspace/**"]}}\n'),
  F8: fixture(
    '- {match: [Write], action: allow, paths: {allow: ["/workspace/*.ts", "/workspace/src/{a,b}/**", "lib/**"]}}\n',
  ),
  F9: fixture('- {match: ["Bash*"], action: allow}\n- {match: ["fo*o"], action: allow}\n'),
  blank: compileDocument(blankPolicy('blank')),
  lenient: compilePolicy({
    name: 'old',
    tools: [{ match: ['Bash'], action: 'deny' }],
    managed_overrides: [
      { tool: 'Bash', action: 'allow' },
      { tool: 'mcp__*', action: 'allow' },
    ],
  }),
  default: seeded('default'),
  governed: seeded('governed'),
  unrestricted: seeded('unrestricted'),
};

const $ = (command: string): ExactJson => ({ command });
const p = (file_path: string): ExactJson => ({ file_path });
const edits = (...paths: string[]): ExactJson => paths.map((file_path) => ({ file_path }));

/** row · policy · tool · input · mode · verdict · scope key */
type Row = readonly [number, string, string, ExactJson, 'S' | 'A', 'allow' | 'deny' | 'RA', (string | null)?];

// prettier-ignore
const ROWS: readonly Row[] = [
  [1, 'F1', 'Read', p('/etc/shadow'), 'S', 'allow'],
  [2, 'F1', 'read', p('/workspace/a'), 'S', 'RA', 'read'],
  [3, 'F1', 'Edit', p('/workspace/a/b.ts'), 'S', 'allow'],
  [3, 'F1', 'Edit', { filePath: '/workspace/a' }, 'S', 'allow'],
  [4, 'F1', 'Edit', p('/workspace'), 'S', 'RA', 'Edit'],
  [4, 'F1', 'Edit', p('src/a.ts'), 'S', 'allow'],
  [5, 'F1', 'Edit', {}, 'S', 'RA', 'Edit'],
  [5, 'F1', 'Edit', { file_path: 42 }, 'S', 'RA', 'Edit'],
  [5, 'F1', 'Edit', { file: '/workspace/a' }, 'S', 'RA', 'Edit'],
  [6, 'F1', 'Edit', p('/workspace/../etc/hosts'), 'S', 'RA', 'Edit'],
  [7, 'F1', 'Write', p('/workspace/k/x.pem'), 'S', 'deny'],
  [7, 'F1', 'Write', p('/tmp/x.pem'), 'S', 'deny'],
  [8, 'F1', 'Write', p('/workspace/x.PEM'), 'S', 'allow'],
  [8, 'F1', 'Write', p('/workspace/prod.env'), 'S', 'allow'],
  [9, 'F1', 'MultiEdit', { edits: edits('/workspace/a', '/workspace/.env') }, 'S', 'deny'],
  [10, 'F1', 'MultiEdit', { file_path: '/workspace/a', edits: edits('/etc/b') }, 'S', 'RA', 'MultiEdit'],
  [11, 'F1', 'Edit', p('/etc/hosts'), 'A', 'deny'],
  [12, 'F1', 'Bash', $('  ls -la '), 'S', 'allow'],
  [12, 'F1', 'Bash', $('npm run build'), 'S', 'allow'],
  [13, 'F1', 'Bash', $('lsof'), 'S', 'RA', 'lsof'],
  [13, 'F1', 'Bash', $('ls;id'), 'S', 'RA', 'id'],
  [14, 'F1', 'Bash', $('ls ;id'), 'S', 'RA', 'id'],
  [15, 'F1', 'Bash', $('ls && curl http://h'), 'S', 'deny'],
  [15, 'F1', 'Bash', $('  rm x'), 'S', 'deny'],
  [16, 'F1', 'Bash', $('echo curling'), 'S', 'RA', 'echo curling'],
  [17, 'F1', 'Bash', $('ls\nrm x'), 'S', 'deny'],
  [18, 'F1', 'Bash', $('git  status'), 'S', 'allow'],
  [19, 'F1', 'Bash', {}, 'S', 'RA', null],
  [19, 'F1', 'Bash', { cmd: 'ls' }, 'S', 'RA', null],
  [19, 'F1', 'Bash', { command: ['ls'] }, 'S', 'RA', null],
  [20, 'F1', 'Bash', $('make'), 'A', 'deny'],
  [20, 'F1', 'NewTool', {}, 'A', 'deny'],
  [21, 'F1', 'Bash', $('curl x'), 'A', 'deny'],
  [21, 'F1', 'WebFetch', {}, 'A', 'deny'],
  [22, 'F1', 'mcp__kb__find', {}, 'S', 'allow'],
  [22, 'F1', 'mcp__kb__find', {}, 'A', 'allow'],
  [23, 'F1', 'mcp__kbx__find', {}, 'S', 'RA', 'mcp__kbx__find'],
  [24, 'F1', 'mcp__jira__get', {}, 'A', 'allow'],
  [25, 'F1', 'MCP__kb__find', {}, 'S', 'RA', 'MCP__kb__find'],
  [26, 'F2', 'Read', {}, 'S', 'deny'],
  [27, 'F3', 'Bash', $('git push origin'), 'S', 'RA', 'git push'],
  [27, 'F3', 'Bash', $('git pull'), 'S', 'deny'],
  [28, 'F3', 'Bash', $('git push --tags'), 'S', 'RA', 'git push'],
  [29, 'F1', 'Bash', $('git fetch'), 'S', 'RA', 'git fetch'],
  [29, 'F1', 'Bash', $('git fetch; curl x'), 'S', 'deny'],
  [30, 'F4', 'Bash', $('rm -rf x'), 'S', 'RA', 'Bash'],
  [30, 'F4', 'Bash', $('ls'), 'S', 'RA', 'Bash'],
  [31, 'F5', 'Write', p('/etc/x'), 'S', 'allow'],
  [31, 'F5', 'Write', {}, 'S', 'allow'],
  [31, 'F5', 'Write', p('a/.env'), 'S', 'deny'],
  [32, 'F6', 'Edit', p('/etc/x'), 'S', 'allow'],
  [33, 'F7', 'Write', p('/workspace/a'), 'S', 'deny'],
  [33, 'F7', 'Write', p('/etc/a'), 'S', 'deny'],
  [34, 'F8', 'Write', p('/workspace/x/y.ts'), 'S', 'allow'],
  [34, 'F8', 'Write', p('/workspace/src/c/x'), 'S', 'RA', 'Write'],
  [34, 'F8', 'Write', p('/lib/x'), 'S', 'RA', 'Write'],
  [34, 'F8', 'Write', p('lib/x'), 'S', 'allow'],
  [35, 'F9', 'BashOutput', {}, 'S', 'allow'],
  [35, 'F9', 'food', {}, 'S', 'RA', 'food'],
  [35, 'F9', 'fo*o', {}, 'S', 'allow'],
  [36, 'blank', 'Read', {}, 'S', 'RA', 'Read'],
  [36, 'blank', 'Read', {}, 'A', 'deny'],
  [37, 'lenient', 'Bash', {}, 'S', 'allow'],
  [37, 'lenient', 'mcp__a__b', {}, 'S', 'RA', 'mcp__a__b'],
  [38, 'default', 'Bash', $('git push origin main'), 'S', 'RA', 'git push'],
  [38, 'default', 'Bash', $('git push origin main --force'), 'S', 'deny'],
  [39, 'default', 'Bash', $('rm -rf /'), 'S', 'deny'],
  [39, 'default', 'Bash', $('rm -rf ./build'), 'S', 'RA', null],
  [39, 'default', 'Bash', $('rm -rf /workspace'), 'S', 'RA', null],
  [40, 'default', 'BashOutput', {}, 'S', 'RA', null],
  [41, 'default', 'Bash', $('env'), 'S', 'RA', 'env'],
  [41, 'default', 'Bash', $('env | grep X'), 'S', 'allow'],
  [41, 'default', 'Bash', $('cat /etc/passwd'), 'S', 'deny'],
  [42, 'default', 'Edit', p('/workspace/r/.env.example'), 'S', 'deny'],
  [43, 'default', 'Task', {}, 'S', 'deny'],
  [43, 'default', 'ToolSearch', {}, 'S', 'allow'],
  [43, 'default', 'Monitor', {}, 'S', 'deny'],
  [43, 'default', 'CronCreate', {}, 'S', 'RA', 'CronCreate'],
  [44, 'default', 'CronCreate', {}, 'A', 'deny'],
  [44, 'default', 'mcp__x__y', {}, 'A', 'deny'],
  [45, 'governed', 'Bash', $('ls -la'), 'S', 'allow'],
  [45, 'governed', 'Bash', $('terraform apply'), 'S', 'deny'],
  [45, 'governed', 'Bash', $('pwd && rm x'), 'S', 'deny'],
  [46, 'governed', 'Write', p('/workspace/a'), 'S', 'RA', 'Write'],
  [46, 'governed', 'Write', p('/workspace/.env'), 'S', 'deny'],
  [48, 'unrestricted', 'Agent', {}, 'S', 'allow'],
  [48, 'unrestricted', 'anything', {}, 'A', 'allow'],
];

function judge(policy: string, tool: string, input: ExactJson, mode: AutonomyMode): PolicyVerdict {
  return evaluate(POLICIES[policy]!, { tool, input }, mode);
}

const WORDS = { allow: 'allow', deny: 'deny', require_approval: 'RA' } as const;

describe('worked examples of policies', () => {
  it.each(ROWS)('CP-027 CP-337 CP-338 row %d: %s judges %s %j (%s): %s', (...row) => {
    const [, policy, tool, input, mode, verdict, key] = row as Row;
    const judged = judge(policy, tool, input, mode === 'S' ? 'supervised' : 'autonomous');
    expect(WORDS[judged.verdict]).toBe(verdict);
    expect(judged.approval?.scope_key ?? null).toBe(key ?? null);
    expect(judged.approval === null).toBe(verdict !== 'RA');
  });

  it('has every row of the table, the one about creating a run apart', () => {
    const rows = new Set(ROWS.map(([row]) => row));
    expect(Array.from({ length: 48 }, (_, i) => i + 1).filter((row) => !rows.has(row))).toEqual([47]);
    expect(POLICIES['governed']!.document.autonomy.permitted).toBe(false);
  });

  /** Whether a grant for one call covers another: it has to hold every key of it (docs/design/gate.md). */
  const covers = (policy: string, granted: string, later: string): boolean => {
    const keys = judge(policy, 'Bash', $(granted), 'supervised').approval?.scope_keys ?? [];
    const verdict = judge(policy, 'Bash', $(later), 'supervised');
    return verdict.approval?.scope_keys?.every((key) => keys.includes(key)) === true;
  };

  it.each([
    [28, 'F3', 'git push origin', 'git push --tags', true],
    [29, 'F1', 'git fetch', 'git fetch origin', true],
    [29, 'F1', 'git fetch', 'git pull', false],
    [29, 'F1', 'git fetch', 'git fetch; curl x', false],
    [29, 'F1', 'git fetch', 'git fetch; make', false],
    [30, 'F4', 'ls', 'rm -rf x', true],
  ] as const)('CP-148 row %d: under %s a grant for %j covers %j: %s', (_row, policy, granted, later, expected) => {
    expect(covers(policy, granted, later)).toBe(expected);
  });

  it('rows 2, 23 and 25 ask with the terms of the document or of the rule', () => {
    expect(judge('F1', 'read', p('/workspace/a'), 'supervised').approval?.ttl_secs).toBe(300);
    expect(judge('F1', 'mcp__kbx__find', {}, 'supervised').approval).toMatchObject({ ttl_secs: 60, scope: 'session' });
    expect(judge('F1', 'MCP__kb__find', {}, 'supervised').approval?.ttl_secs).toBe(300);
  });

  it('CP-101 asks for every tool under an empty rule set', () => {
    expect(judge('blank', 'AnyTool', null, 'supervised').explanation.decided_by).toBe('default_action');
  });

  it('takes terms from the rule, else from the document', () => {
    expect(judge('F1', 'mcp__kbx__find', {}, 'supervised').approval).toEqual({
      risk: null,
      ttl_secs: 60,
      scope: 'session',
      scope_keys: ['mcp__kbx__find'],
      scope_key: 'mcp__kbx__find',
      once_because: null,
    });
    expect(judge('F1', 'MCP__kb__find', {}, 'supervised').approval).toMatchObject({ ttl_secs: 300, scope: 'once' });
    expect(judge('F1', 'Bash', $('make'), 'supervised').approval).toMatchObject({ risk: 'unlisted', ttl_secs: 300 });
  });

  it('says why it denies', () => {
    expect(judge('F2', 'Read', {}, 'supervised').reason).toBe('denied by policy');
    expect(judge('F1', 'WebFetch', {}, 'autonomous').reason).toBe('egress blocked');
    expect(judge('F1', 'Bash', $('curl x'), 'supervised').reason).toContain('\\bcurl\\b');
    expect(judge('F1', 'Write', p('/tmp/x.pem'), 'supervised').reason).toMatch(/\/tmp\/x\.pem.*\*\*\/\*\.pem/);
  });

  it('CP-077 rewrites a question in autonomous mode and keeps both verdicts', () => {
    expect(judge('F1', 'Edit', p('/etc/hosts'), 'autonomous')).toMatchObject({
      verdict: 'deny',
      original_verdict: 'require_approval',
      rewritten: true,
      reason: AUTONOMOUS_REASON,
      approval: null,
    });
    expect(judge('F1', 'mcp__jira__get', {}, 'autonomous')).toMatchObject({
      verdict: 'allow',
      original_verdict: 'require_approval',
      rewritten: true,
    });
    expect(judge('F1', 'WebFetch', {}, 'autonomous')).toMatchObject({
      verdict: 'deny',
      original_verdict: 'deny',
      rewritten: false,
    });
  });

  it('CP-148 names every command that asks, sorted', () => {
    expect(
      judge('F1', 'Bash', $('make && git fetch && ls && cargo run > /etc/x'), 'supervised').approval?.scope_keys,
    ).toEqual(['Write', 'cargo run', 'git fetch', 'make']);
    expect(judge('F1', 'Bash', $('make && python3 -c 1'), 'supervised').approval?.scope_keys).toBeNull();
  });

  it('lets a prefix of a denying rule deny, hidden or not', () => {
    const policy = fixture(
      '- {match: [Bash], action: deny, shell: {allow_prefixes: ["git push"], on_no_match: allow}}\n',
    );
    const verdict = (command: string): string =>
      evaluate(policy, { tool: 'Bash', input: { command } }, 'supervised').verdict;
    expect(['ls', 'git push', 'ls; git push x', 'eval "git push"'].map(verdict)).toEqual([
      'allow',
      'deny',
      'deny',
      'deny',
    ]);
  });
});
