import { describe, expect, it } from '@jest/globals';
import { readSeededPolicy } from '../../../test/support/policies/seeded-policies.js';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { compileDocument } from '../policy/compile-policy.js';
import type { AutonomyMode } from '../policy/verdict.js';
import { ToolSet } from './tool-set.js';
import type { GateCall, GateSpec } from './gate-verdict.js';
import { judge } from './judge.js';

/** Everything is allowed by policy, so that the tier decides alone; a tool is frozen although a fork's run has none. */
const POLICY = compileDocument(readSeededPolicy('unrestricted'));
const FROZEN = new ToolSet([
  {
    id: 'b',
    name: 'kb',
    version: 1,
    definition_digest: 'sha256:0',
    servers: [
      {
        class: 'sandbox',
        name: 'kb',
        command: 'node',
        args: [],
        tools: [{ name: 'find', description: '', input_schema: { type: 'object' } }],
      },
    ],
  },
]);

const fork = (autonomy: AutonomyMode): GateSpec => ({
  policy: POLICY,
  tools: FROZEN,
  autonomy,
  trustTier: 'read_only',
});

/** Commands that would write, run, reach out or go on beyond the read-only list. */
// prettier-ignore
const COMMANDS: readonly string[] = [
  'git push origin HEAD', 'git commit -m x', 'git checkout main', 'git fetch', 'git stash', 'git config core.pager id', 'git -c core.pager=id log', 'git -C / status', 'git --exec-path=. status',
  'git log --output=/workspace/x', 'git diff --output x', 'git show --outp=x', 'git diff --ext-diff', 'git log --textconv -p', 'git blame --textconv a', 'git branch --edit-description', 'git diff --ext',
  'rg --pre id x', 'rg --pre=./x y', 'rg --hostname-bin=id x', 'cat a > b', 'cat a >> b', 'cat < a', 'cat a | tee b', 'ls; id', 'ls && id', 'ls || id', 'ls & id', 'ls\nid', 'ls\rid', 'ls $(id)', 'ls `id`',
  'ls <(id)', 'ls ${x:-a}', 'ls $x', '$x', 'PATH=. ls', 'GIT_PAGER=id git log', 'LD_PRELOAD=./x.so ls', 'env ls', 'command ls', 'timeout 5 ls', 'xargs ls', 'find . -delete', 'bash -c ls', 'sh -c ls', 'sudo ls',
  './ls', '/tmp/ls', '/bin/ls', 'l\\s', '"ls"', "'cat' a", 'LS', 'ls\u00a0-la', 'ls"x"', 'lsof', 'catx', 'git', 'gitstatus', 'git  push', 'echo x', 'sed -n p a', 'awk 1 a', 'sort -o x a', 'tee x', 'npm test',
  'cat a\0b', 'ls "', 'ls {a,b};id', '! ls', 'time ls', 'eval ls', '. ./x', 'exec ls', 'alias ls=id', 'ls() { id; }', 'rg *', 'git diff *', 'rg {--pre,id} x', '',
];

/** Other ways to the same end: tools, inputs and names. */
const CALLS: readonly (readonly [tool: string, input: string])[] = [
  ['Edit', '{"file_path":"/workspace/a"}'],
  ['Write', '{"file_path":"a"}'],
  ['MultiEdit', '{"edits":[]}'],
  ['NotebookEdit', '{}'],
  ['BashOutput', '{}'],
  ['KillShell', '{}'],
  ['TodoWrite', '{}'],
  ['WebFetch', '{"url":"https://example.org"}'],
  ['WebSearch', '{}'],
  ['Task', '{"prompt":"push"}'],
  ['Agent', '{}'],
  ['Skill', '{}'],
  ['Monitor', '{}'],
  ['EnterWorktree', '{}'],
  ['read', '{}'],
  ['READ', '{}'],
  ['Read ', '{}'],
  [' Read', '{}'],
  ['Reads', '{}'],
  ['Read\u0000', '{}'],
  ['Rеad', '{}'],
  ['bash', '{"command":"ls"}'],
  ['Bash ', '{"command":"ls"}'],
  ['__proto__', '{}'],
  ['constructor', '{}'],
  ['toString', '{}'],
  ['', '{}'],
  ['Bash', '{}'],
  ['Bash', '{"cmd":"ls"}'],
  ['Bash', '{"command":["ls"]}'],
  ['Bash', '{"command":{"toString":"ls"}}'],
  ['Bash', '{"command":null}'],
  ['Bash', '{"__proto__":{"command":"ls"}}'],
  ['Bash', '{"Command":"ls"}'],
  ['Bash', '["ls"]'],
  ['Bash', '"ls"'],
  ['Bash', 'null'],
  ['mcp__kb__find', '{}'],
  ['mcp__ghost__x', '{}'],
  ['mcp__kb', '{}'],
  ['mcp__Read__x', '{}'],
  ['MCP__kb__find', '{}'],
];

describe('proof 27: a fork cannot widen the trust that was frozen', () => {
  const attempts: (readonly [string, GateCall])[] = [
    ...COMMANDS.map((command) => [`Bash ${JSON.stringify(command)}`, { tool: 'Bash', input: { command } }] as const),
    ...CALLS.map(([tool, input]) => {
      const parsed: ExactJson = parseJsonPreservingNumbers(input);
      return [`${JSON.stringify(tool)} ${input}`, { tool, input: parsed, schema: { kind: 'valid' } }] as const;
    }),
  ];

  it('has at least 60 attempts', () => {
    expect(new Set(attempts.map(([name]) => name)).size).toBe(attempts.length);
    expect(attempts.length).toBeGreaterThanOrEqual(60);
  });

  it.each(attempts)('CP-317 refuses %s, in both modes', (_name, call) => {
    for (const mode of ['supervised', 'autonomous'] as const) {
      const verdict = judge(fork(mode), call);
      expect(verdict).toMatchObject({ kind: 'deny' });
      if (verdict.kind === 'deny') expect(['trust_tier', 'capability']).toContain(verdict.source);
    }
  });

  it('control: reading passes, and the same attempts pass in a trusted run where no tier stands', () => {
    for (const command of [
      'ls -la',
      'cat a.txt',
      'git log --oneline -5',
      'git diff HEAD~1',
      'rg foo src',
      'git blame a',
    ]) {
      expect(judge(fork('supervised'), { tool: 'Bash', input: { command } }).kind).toBe('allow');
    }
    const trusted: GateSpec = { ...fork('supervised'), trustTier: 'trusted' };
    const refused = attempts.filter(([, call]) => judge(trusted, call).kind !== 'allow');
    expect(refused.every(([, { tool }]) => tool.startsWith('mcp__'))).toBe(true);
  });
});
