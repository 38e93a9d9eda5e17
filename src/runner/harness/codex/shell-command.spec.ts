import { describe, expect, it } from '@jest/globals';
import { unwrapShell } from './shell-command.js';

describe('the command that Codex wraps', () => {
  it.each([
    ["/usr/bin/bash -c 'echo hi'", 'echo hi'],
    ["/bin/bash -lc 'echo hi > out.txt'", 'echo hi > out.txt'],
    ['/usr/bin/sh -c ls', 'ls'],
    ['bash -lc "it\'s"', "it's"],
    [`/bin/bash -c "cat a && echo \\"it's \\$HOME\\" 'q'"`, `cat a && echo "it's $HOME" 'q'`],
    [`/bin/bash -c 'a'"'"'b'`, "a'b"],
    ["/bin/bash -c ''", ''],
    [`/bin/bash -c 'bash -c "ls"'`, 'bash -c "ls"'],
    ["/bin/bash -c 'one\ntwo'", 'one\ntwo'],
  ])('%s is %s', (wrapped, inner) => {
    expect(unwrapShell(wrapped)).toBe(inner);
  });

  it.each([
    'python3 -c 1',
    "/workspace/bash -c 'ls'",
    "/bin/bash -c 'ls' more",
    "/bin/bash -c 'ls'; id",
    "/bin/bash -c 'ls",
    '/bin/bash -c $(id)',
    "/usr/bin/zsh -c 'ls'",
    "/bin/bash -x -c 'ls'",
  ])('%s is left as it is', (command) => {
    expect(unwrapShell(command)).toBe(command);
  });
});
