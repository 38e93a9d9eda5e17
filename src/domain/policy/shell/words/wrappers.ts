import { resolvePath } from '../../paths/path.js';
import { unwrapFind } from './find-command.js';
import type { ShellWord } from './shell-word.js';
import { unknownWord } from './shell-word.js';
import { isPlainShellOption } from './unsafe-builtins.js';
import type { Unwrapped } from './unwrapped.js';

interface OptionTable {
  /** Options without an argument; single letters may be joined. */
  flags: readonly string[];
  /** Options with an argument, joined or apart. */
  valued: readonly string[];
  /** Long options whose argument, if any, is joined to them. */
  joined?: readonly string[];
  /** Options after which nothing is run. */
  queries?: readonly string[];
  /** Words before the command: a duration, say. */
  operands?: number;
  /** `NAME=value` words before the command. */
  assignments?: boolean;
  /** Options of the form `-5`. */
  numeric?: boolean;
}

const OPTIONS: Readonly<Record<string, OptionTable>> = {
  env: {
    flags: ['-i', '-0', '-v', '-', '--ignore-environment', '--null', '--debug'],
    valued: ['-u', '--unset'],
    assignments: true,
  },
  nice: { flags: [], valued: ['-n', '--adjustment'], numeric: true },
  timeout: {
    flags: ['-v', '--verbose', '--foreground', '--preserve-status', '-f', '-p'],
    valued: ['-k', '--kill-after', '-s', '--signal'],
    operands: 1,
  },
  time: { flags: ['-p', '-v', '--portability', '--verbose'], valued: ['-f', '--format'] },
  command: { flags: ['-p'], valued: [], queries: ['-v', '-V'] },
  builtin: { flags: [], valued: [] },
  nohup: { flags: [], valued: [] },
  sudo: {
    flags: ['-n', '-E', '-H', '-S', '-k', '-b', '-P', '--non-interactive', '--preserve-env', '--set-home', '--stdin'],
    valued: ['-u', '--user', '-g', '--group'],
    queries: ['-l', '--list', '-V', '--version'],
    assignments: true,
  },
  doas: { flags: ['-n'], valued: ['-u'] },
  setsid: { flags: ['-c', '-f', '-w', '--ctty', '--fork', '--wait'], valued: [] },
  stdbuf: { flags: [], valued: ['-i', '-o', '-e', '--input', '--output', '--error'] },
  ionice: { flags: ['-t'], valued: ['-c', '-n'] },
  busybox: { flags: [], valued: [] },
  toybox: { flags: [], valued: [] },
};
const XARGS: OptionTable = {
  flags: ['-0', '--null', '-r', '--no-run-if-empty', '-t', '--verbose', '-x', '--exit', '-o', '--open-tty'],
  valued: '-I -n --max-args -P --max-procs -L -d --delimiter -E -s --max-chars -a --arg-file'.split(' '),
  joined: ['--max-lines'],
};

const BASH = new Set(['bash', 'rbash']);
/** Shells whose syntax is a part of bash's, save what means something else to them. */
const POSIX_SHELLS = new Set(['sh', 'dash', 'ash', 'posh']);
/** Shells with a syntax of their own: what they are given cannot be judged. */
const OTHER_SHELLS = new Set(['zsh', 'ksh', 'ksh93', 'mksh', 'lksh', 'yash']);
const SHELLS = new Set([...BASH, ...POSIX_SHELLS, ...OTHER_SHELLS]);
/** Neither `-i` and `-l`, which read files of the home directory first, nor `-k` and `-s`. */
const SHELL_FLAGS = /^-[abcefhmnptuvxBCEHPTr]+$/;
const SHELL_LONG_FLAGS = new Set(['--norc', '--noprofile', '--posix', '--restricted']);
/** Files that are what a pipe or a descriptor brings, also from a folder to which the line has moved. */
const INPUT = /^\/(?:dev|proc)\/|\/(?:stdin|fd\/\d+)$/;
const MAX_NESTED_WRAPPERS = 8;
/** Stands for the words that `xargs` appends. */
export const APPENDED = '…';
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;

export function baseName(program: string): string {
  return program.includes('/') ? program.slice(program.lastIndexOf('/') + 1) : program;
}

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** What the command runs in turn; null when its program is no wrapper. */
export function unwrap(words: readonly ShellWord[]): Unwrapped | null {
  const program = words[0]?.value;
  if (program === undefined || program === null) return null;
  return WRAPPERS.get(baseName(program))?.(words.slice(1)) ?? null;
}

type Wrapper = (args: readonly ShellWord[]) => Unwrapped;

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ...Object.entries(OPTIONS).map(([name, table]): [string, Wrapper] => [
    name,
    (args) => scanOptions(name, table, args).result,
  ]),
  ['xargs', (args) => withUnknownArguments(scanOptions('xargs', XARGS, args))],
  ['find', unwrapFind],
  ...[...BASH].map((name): [string, Wrapper] => [name, (args) => unwrapShell(args, false)]),
  ...[...POSIX_SHELLS].map((name): [string, Wrapper] => [name, (args) => unwrapShell(args, true)]),
  ...[...OTHER_SHELLS].map((name): [string, Wrapper] => [name, (args) => ownSyntax(name, unwrapShell(args, true))]),
]);

interface Scanned {
  result: Unwrapped;
  /** The text that `xargs -I` replaces. */
  replaced: string | null;
}

/** Options of `xargs` of which the last one given decides whether words are replaced or appended. */
const APPENDS = new Set(['-n', '--max-args', '-L', '-l', '--max-lines']);

function scanOptions(name: string, table: OptionTable, args: readonly ShellWord[]): Scanned {
  let at = 0;
  let replaced: string | null = null;
  const assigned: string[] = [];
  const unknown = (why: string): Scanned => ({ result: { kind: 'unknown', why }, replaced });
  let optionsEnd = false;
  let operands = table.operands ?? 0;
  for (; at < args.length; at++) {
    const { value, text, single } = args[at]!;
    const assignment = table.assignments === true && single ? assignedName(value, text, optionsEnd) : undefined;
    if (assignment !== undefined) {
      assigned.push(assignment);
      optionsEnd = true;
      continue;
    }
    if (value === null) return unknown(`a word of \`${name}\` before its command is not a literal`);
    if (table.assignments === true && value.startsWith('=')) return unknown('an assignment without a name');
    if (!optionsEnd && value === '--') {
      optionsEnd = true;
    } else if (!optionsEnd && value.startsWith('-') && (value.length > 1 || table.flags.includes('-'))) {
      const { kind, option, given } = readOption(table, value);
      if (kind === 'query') return { result: { kind: 'nothing' }, replaced };
      if (kind === 'unknown') return unknown(`the option \`${value}\` of \`${name}\` is not known`);
      let argument = given;
      if (kind === 'valued' && given === null) {
        at++;
        if (args[at]?.value === null) return unknown(`an option of \`${name}\` is not a literal`);
        argument = args[at]?.value ?? null;
      }
      if (replaced !== null && APPENDS.has(option)) return unknown(`\`xargs\` with both -I and ${option}`);
      if (option === '-I') replaced = argument ?? '';
      if (name === 'env') assigned.push(...unsetBy(value, option, argument));
      // Behind a lone dash `env` takes `--` for the name of a program.
      if (value === '-') optionsEnd = true;
    } else if (operands > 0) {
      operands--;
      optionsEnd = true;
    } else {
      break;
    }
  }
  const words = args.slice(at);
  return { result: words.length === 0 ? { kind: 'nothing' } : { kind: 'command', words, assigned }, replaced };
}

/** `env` takes every word with `=` for an assignment, whatever its name. */
function assignedName(value: string | null, text: string, optionsEnd: boolean): string | undefined {
  if (value === null) return ASSIGNMENT.exec(text)?.[1];
  const equals = value.indexOf('=');
  return equals > 0 && (optionsEnd || !value.startsWith('-')) ? value.slice(0, equals) : undefined;
}

interface ReadOption {
  kind: 'flag' | 'valued' | 'query' | 'unknown';
  option: string;
  /** The argument that is joined to it. */
  given: string | null;
}

function readOption(table: OptionTable, value: string): ReadOption {
  const equals = value.indexOf('=');
  const option = value.startsWith('--') && equals !== -1 ? value.slice(0, equals) : value;
  const given = option === value ? null : value.slice(equals + 1);
  if (table.queries?.includes(value) === true) return { kind: 'query', option, given };
  if (table.flags.includes(value)) return { kind: 'flag', option, given };
  if (table.valued.includes(option) || table.joined?.includes(option) === true) {
    const kind = given === null && table.joined?.includes(option) === true ? 'flag' : 'valued';
    return { kind, option, given };
  }
  if (table.numeric === true && /^-\d+$/.test(value)) return { kind: 'flag', option, given };
  return value.startsWith('--') ? { kind: 'unknown', option, given } : readBundle(table, value);
}

/** Letters joined behind one dash: flags, then at most one with an argument. */
function readBundle(table: OptionTable, value: string): ReadOption {
  for (let i = 1; i < value.length; i++) {
    const option = `-${value[i]!}`;
    if (table.flags.includes(option)) continue;
    if (!table.valued.includes(option)) return { kind: 'unknown', option: value, given: null };
    const rest = value.slice(i + 1);
    return { kind: 'valued', option, given: rest === '' ? null : rest };
  }
  return { kind: 'flag', option: value, given: null };
}

/** An emptied environment lacks what keeps a program from running more than its name says, as the settings of git do. */
function unsetBy(value: string, option: string, argument: string | null): string[] {
  if (option === '-u' || option === '--unset') return [argument ?? ''];
  return value === '-' || value === '--ignore-environment' || /^-[^-]*i/.test(value) ? ['GIT_CONFIG_COUNT'] : [];
}

/** `xargs` appends unknown words: they are accepted only as arguments of a command that is written out. */
function withUnknownArguments({ result, replaced }: Scanned): Unwrapped {
  if (result.kind === 'nothing') return { kind: 'nothing' };
  if (result.kind !== 'command') return result;
  const words = replaced === null || replaced === '' ? result.words : hideReplaced(result.words, replaced);
  if (!standsWhole(words, replaced !== null, 0)) {
    return { kind: 'unknown', why: 'what `xargs` hands to its command is not known' };
  }
  const open = replaced === null ? [...words, unknownWord(APPENDED)] : words;
  return { kind: 'command', words: open, assigned: [] };
}

/** Whether more words at the end stay arguments of a program that is already named. */
function standsWhole(words: readonly ShellWord[], replaces: boolean, depth: number): boolean {
  const program = words[0]?.value ?? '';
  if (program === '' || baseName(program) === 'xargs' || depth > MAX_NESTED_WRAPPERS) return false;
  const inner = unwrap(words);
  if (inner === null) return true;
  return inner.kind === 'command' ? standsWhole(inner.words, replaces, depth + 1) : inner.kind === 'code' && !replaces;
}

/** Words that hold the replaced text are not literals, and may be options when they begin with it. */
function hideReplaced(words: readonly ShellWord[], replaced: string): ShellWord[] {
  return words.map((word) => (word.value?.includes(replaced) === true ? hidden(word, replaced) : word));
}

function hidden(word: ShellWord, replaced: string): ShellWord {
  const value = word.value ?? '';
  return { ...word, value: null, mayBeOption: value.startsWith(replaced) || value.startsWith('-') };
}

/** `bash -c code` runs code; a shell that reads its standard input runs what nobody has seen. */
function unwrapShell(args: readonly ShellWord[], posix: boolean): Unwrapped {
  let code = false;
  for (let at = 0; at < args.length; at++) {
    const value = args[at]!.value;
    if (value === null) return { kind: 'unknown', why: 'what the shell runs is not a literal' };
    if (value === '--' || value === '-') {
      const next = args[at + 1]?.value;
      return code && typeof next === 'string'
        ? { kind: 'code', code: next, posix }
        : scriptOrUnknown(args.slice(at + 1), code);
    }
    if (SHELL_FLAGS.test(value)) {
      code ||= value.includes('c');
    } else if (/^[-+][oO]$/.test(value)) {
      at++;
      if (args[at] === undefined || !isPlainShellOption(args[at]!)) {
        return { kind: 'unknown', why: `the option \`${value} ${args[at]?.text ?? ''}\` of a shell is not known` };
      }
    } else if (value.startsWith('-') || value.startsWith('+')) {
      if (!SHELL_LONG_FLAGS.has(value))
        return { kind: 'unknown', why: `the option \`${value}\` of a shell is not known` };
    } else {
      return code ? { kind: 'code', code: value, posix } : scriptOrUnknown(args.slice(at), code);
    }
  }
  return { kind: 'unknown', why: 'a shell that reads commands from its input' };
}

function ownSyntax(name: string, unwrapped: Unwrapped): Unwrapped {
  return unwrapped.kind === 'code' ? { kind: 'unknown', why: `\`${name}\` has a syntax of its own` } : unwrapped;
}

function scriptOrUnknown(rest: readonly ShellWord[], code: boolean): Unwrapped {
  const script = rest[0]?.value;
  if (code || typeof script !== 'string') return { kind: 'unknown', why: 'what the shell runs is not a literal' };
  const { path } = resolvePath(script);
  return path === null || INPUT.test(path)
    ? { kind: 'unknown', why: 'a shell that reads commands from its input' }
    : { kind: 'nothing' };
}
