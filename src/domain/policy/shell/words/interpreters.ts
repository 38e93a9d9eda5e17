import type { ShellWord } from './shell-word.js';
import { baseName } from './wrappers.js';

const INTERPRETER =
  /^(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|Rscript|osascript|pwsh|groovy|scala|julia|fish|csh|tcsh|nu|xonsh|elvish|guile|gnuplot|octave)[\d.]*$/;
/** `-c`, `-e`, `-p`, `-r`, joined letters such as `-lne`, long forms, and `-` for standard input. */
const CODE_OPTION = /^(?:-[A-Za-z]*[cepErR].*|--eval(?:=.*)?|--print(?:=.*)?|--execute(?:=.*)?|-|eval)$/;

/** Programs that run their arguments, or what they read, in ways that the parser does not look into. */
export const RUNS_ARGUMENTS: ReadonlySet<string> = new Set(
  'expect unbuffer su runuser pkexec runcon setpriv watch script scriptreplay flock strace ltrace gdb valgrind perf rlwrap parallel sem chroot unshare nsenter bwrap firejail proot fakeroot faketime ssh mosh tmux screen dtach at batch entr inotifywait setarch linux32 linux64 i386 x86_64 taskset uclampset sg ssh-agent chrt prlimit choom cpulimit numactl systemd-run cgexec capsh aa-exec dbus-run-session xvfb-run start-stop-daemon run-parts torify torsocks proxychains socat eatmydata ld.so logsave multitime hyperfine chpst softlimit envdir setlock ts vipe'.split(
    ' ',
  ),
);

/** Programs whose first operand is a program text. */
const TAKES_TEXT = new Set('awk gawk mawk nawk original-awk jshell'.split(' '));

/** Whether the program runs scripts; it may have a version in its name. */
export function isInterpreter(name: string): boolean {
  return INTERPRETER.test(name);
}

/** Whether an interpreter is handed code rather than a file: such a command has no key to grant (`docs/policies.md`). */
export function isGivenCode(words: readonly ShellWord[]): boolean {
  const name = baseName(words[0]?.value ?? '');
  if (RUNS_ARGUMENTS.has(name) || TAKES_TEXT.has(name)) return true;
  if (!INTERPRETER.test(name)) return false;
  for (let at = 1; at < words.length; at++) {
    const { value } = words[at]!;
    if (value === null || CODE_OPTION.test(value)) return true;
    if (!value.startsWith('-')) return false;
  }
  return true;
}
