import { describe, expect, it } from '@jest/globals';
import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import type { DecidedBy } from '../../../src/domain/policy/verdict.js';

const words = (text: string): string[] => text.split(' ');

// prettier-ignore
export const BASE_PREFIXES = ['ls', 'cat', 'echo', 'grep', 'wc', 'find', 'xargs', 'printf', 'test', '[', ':', 'cd', 'git status', 'git diff', 'npm run ', 'env | grep'];
/** Also every wrapper and shell, so that what they run decides alone. */
export const WRAPPER_PREFIXES = [
  ...BASE_PREFIXES,
  ...words(
    'env nice timeout time command builtin nohup sudo setsid stdbuf ionice busybox toybox doas bash rbash sh dash ash zsh ksh mksh yash ssh su runuser watch strace ltrace gdb valgrind perf flock script expect parallel unshare chroot nsenter setarch taskset chrt prlimit systemd-run tmux screen at batch entr run-parts start-stop-daemon rlwrap unbuffer fakeroot proot firejail socat xvfb-run',
  ),
];
/** Also programs whose options and scripts can do more than their names say. */
export const TOOL_PREFIXES = [
  ...BASE_PREFIXES,
  ...words(
    'sort uniq shuf tee csplit diff cut tr head tail tree iconv date xxd split rg fd tar zip man less more vi vim view nano emacs git make npm cargo go rsync scp sftp wget hg svn dc sqlite3 psql mysql tcpdump install sdiff diff3 ag ack bat sed awk gawk mawk gmake env timeout bash busybox',
  ),
];
/** Also the builtins of the shell. */
export const BUILTIN_PREFIXES = [
  ...BASE_PREFIXES,
  ...words(
    'eval exec source . trap alias unalias shopt set enable hash bind complete compgen compopt fc history coproc read mapfile readarray declare typeset local readonly export unset let wait getopts command builtin pushd popd',
  ),
];

/** line · verdict · what decided · scope key */
type Row = readonly [line: string, verdict: 'allow' | 'ask' | 'deny', decidedBy: DecidedBy, key: string | null];

/** One test per line: its verdict, what decided it and what a session grant would cover. An evasion is never allowed. */
export function shellLines(
  title: string,
  prefixes: readonly string[],
  rows: { harmless: readonly Row[]; evasions: readonly Row[] },
): void {
  const policy = compilePolicy({
    name: 'shell',
    tools: [
      { match: ['Read'], action: 'allow', paths: { deny: ['**/*.pem'] } },
      { match: ['Write'], action: 'allow', paths: { allow: ['/workspace/**'], deny: ['**/.env'] } },
      {
        match: ['Bash'],
        action: 'allow',
        shell: { allow_prefixes: [...prefixes], deny_regex: ['\\bcurl\\b', '^rm\\s', '/etc/passwd'] },
      },
    ],
  });
  const expectRow = ([line, verdict, decidedBy, key]: Row): void => {
    const judged = evaluate(policy, { tool: 'Bash', input: { command: line } }, 'supervised');
    const word = { allow: 'allow', require_approval: 'ask', deny: 'deny' }[judged.verdict];
    expect([word, judged.explanation.decided_by, judged.approval?.scope_key ?? null]).toEqual([
      verdict,
      decidedBy,
      key,
    ]);
    expect(judged.reason === null).toBe(verdict === 'allow');
  };

  describe(title, () => {
    it.each(rows.harmless)('CP-338 allows %j: %s by %s', (...row) => {
      expect(row[1]).toBe('allow');
      expectRow(row);
    });
    it.each(rows.evasions)('CP-338 does not fall for %j: %s by %s', (...row) => {
      expect(row[1]).not.toBe('allow');
      expectRow(row);
    });
  });
}
