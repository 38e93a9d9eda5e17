import { baseName } from './wrappers.js';

const INTERPRETER =
  /^(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|Rscript|osascript|pwsh|groovy|scala|julia)[\d.]*$/;
/** `-c`, `-e`, `-p`, `-r`, joined letters such as `-lne`, long forms, and `-` for standard input. */
const CODE_OPTION = /^(?:-[A-Za-z]*[cepErR].*|--eval(?:=.*)?|--print(?:=.*)?|--execute(?:=.*)?|-|eval)$/;

/** Programs whose arguments are a program text, or a command that the parser does not look into. */
const RUNS_ARGUMENTS = new Set(
  'awk gawk mawk nawk jshell expect su runuser watch script flock strace ltrace parallel chroot unshare nsenter ssh tmux screen at batch entr'.split(
    ' ',
  ),
);

/** Whether an interpreter is handed code rather than a file: such a command has no key to grant (06-gate §3). */
export function isGivenCode(program: string, args: readonly (string | null)[]): boolean {
  if (RUNS_ARGUMENTS.has(baseName(program))) return true;
  if (!INTERPRETER.test(baseName(program))) return false;
  if (args.length === 0) return true;
  for (const arg of args) {
    if (arg === null || CODE_OPTION.test(arg)) return true;
    if (!arg.startsWith('-')) return false;
  }
  return true;
}
