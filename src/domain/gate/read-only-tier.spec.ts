import { describe, expect, it } from '@jest/globals';
import { DEFAULT, readOnly, UNRESTRICTED } from '../../../test/support/gate/gate-specs.js';
import { judge } from './judge.js';

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
