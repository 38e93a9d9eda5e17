import { describe, expect, it } from '@jest/globals';
import { compilePolicy } from '../compile-policy.js';
import { evaluate } from '../evaluate.js';
import type { PolicyVerdict } from '../verdict.js';

const POLICY = compilePolicy({
  name: 'shell',
  tools: [
    { match: ['Read'], action: 'allow', paths: { deny: ['**/*.pem'] } },
    { match: ['Write'], action: 'allow', paths: { allow: ['/workspace/**'], deny: ['**/.env'] } },
    {
      match: ['Bash'],
      action: 'allow',
      shell: {
        // prettier-ignore
        allow_prefixes: ['ls', 'cat', 'echo', 'grep', 'wc', 'find', 'xargs', 'printf', 'test', '[', ':', 'cd', 'git status', 'git diff', 'npm run ', 'env | grep'],
        deny_regex: ['\\bcurl\\b', '^rm\\s', '/etc/passwd'],
      },
    },
  ],
});

function judge(command: string): PolicyVerdict {
  return evaluate(POLICY, { tool: 'Bash', input: { command } }, 'supervised');
}

describe('explanation of shell lines', () => {
  it('names the part that decided and lists the parts found', () => {
    const { explanation } = judge('ls src | id > /workspace/out');
    expect(explanation).toEqual({
      decided_by: 'no_prefix',
      rule: 2,
      matcher: 'Bash',
      pattern: null,
      subject: 'id > /workspace/out',
      parts: [
        { kind: 'command', text: 'ls src', subject: 'ls', covered_by: 'ls' },
        { kind: 'command', text: 'id > /workspace/out', subject: 'id', covered_by: null },
        { kind: 'write', text: '> /workspace/out', subject: '/workspace/out', covered_by: null },
      ],
      parts_omitted: 0,
    });
  });

  it('bounds what an explanation lists', () => {
    const { explanation } = judge(`${'id; '.repeat(250)}id ${'😀'.repeat(400)}`);
    expect([explanation.parts.length, explanation.parts_omitted]).toEqual([200, 51]);
    const long = judge(`id ${'😀'.repeat(400)}`).explanation;
    expect(long.parts[0]!.text.length).toBe(501);
    expect(JSON.stringify(long).isWellFormed()).toBe(true);
  });

  it('resolves relative redirects against the directory of the call', () => {
    const at = (cwd: string): string =>
      evaluate(POLICY, { tool: 'Bash', input: { command: 'ls > x', cwd } }, 'supervised').verdict;
    expect([at('/workspace/a'), at('sub'), at('/etc'), at('$HOME')]).toEqual([
      'allow',
      'allow',
      'require_approval',
      'require_approval',
    ]);
  });

  it('says which word lifts a command from its prefix', () => {
    const sorting = compilePolicy({
      name: 'sorting',
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['sort'] } }],
    });
    const reason = (command: string): string | null =>
      evaluate(sorting, { tool: 'Bash', input: { command } }, 'supervised').reason;
    expect(reason('sort --compress-program=id a')).toBe(
      'no allow prefix covers `sort --compress-program=id a`: the option `--compress-program` of `sort` runs or loads something',
    );
    expect(reason('sort *')).toBe(
      'no allow prefix covers `sort *`: `*` may be an option of `sort`; put `--` before it',
    );
  });

  it.each([
    ['sort --compress-program gzip', 'sort --compress-program gzip a'],
    ['git -c core.pager=cat', 'git -c core.pager=cat log'],
    ['watch ls', 'watch ls src'],
    ["sed 's/a/b/e'", "sed 's/a/b/e' x"],
    ['git submodule foreach', 'git submodule foreach id'],
  ])('CP-338 a prefix that names the word allows it knowingly: %s', (prefix, command) => {
    const policy = compilePolicy({
      name: 'knowing',
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: [prefix] } }],
    });
    expect(evaluate(policy, { tool: 'Bash', input: { command } }, 'supervised').verdict).toBe('allow');
  });

  it.each([
    'git push --receive-pack=x origin',
    'GIT_TRACE=1 git push',
    'env GIT_TRACE=1 git push',
    'git push "$x"',
    'ls; FOO=1 git push',
  ])('CP-338 no option and no assignment frees a command from a rule that denies it: %s', (command) => {
    const denying = compilePolicy({
      name: 'denying',
      tools: [{ match: ['Bash'], action: 'deny', shell: { allow_prefixes: ['git push'], on_no_match: 'allow' } }],
    });
    expect(evaluate(denying, { tool: 'Bash', input: { command } }, 'supervised').verdict).toBe('deny');
  });
});
