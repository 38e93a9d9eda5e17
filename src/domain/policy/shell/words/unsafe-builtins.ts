import type { ShellWord } from './shell-word.js';
import { isHarmlessVariable, isPlainVariable } from './variables.js';

/** Builtins that run text, or change what later words mean (docs/design/policy.md). */
const RUN_TEXT =
  'eval let source . trap alias unalias exec coproc enable compgen complete compopt bind hash shopt fc'.split(' ');
const SET_VARIABLES = 'read mapfile readarray getopts declare typeset local export readonly unset wait'.split(' ');
const UNARY_TESTS = /^-[abcdefghknoprstuwxzLNOGS]$/;
const BINARY_TESTS = /^(?:==?|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;
const ASSIGNED_NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?:\+?=([\s\S]*))?$/;

/** Why a builtin makes its line impossible to judge, or null. */
export function unsafeBuiltin(words: readonly ShellWord[]): string | null {
  return CHECKS.get(words[0]?.value ?? '')?.(words.slice(1)) ?? null;
}

/** A directive of `printf` that sets the variable which its argument names. */
const COUNTS = /%[^a-zA-Z%]*[hlLjzt]*n/;

/** `printf -v` expands the subscript of its target, `-v'a[$(id)]'` too. */
function unsafePrintf(args: readonly ShellWord[]): string | null {
  const first = args[0];
  if (first === undefined) return null;
  if (first.value === null) return 'the format of `printf` is not a literal';
  if (COUNTS.test(args.map(({ value }) => value ?? '').join(' '))) return '`printf` with `%n` sets a variable';
  return first.value.startsWith('-v') ? '`printf -v` expands its target' : null;
}

/** `test -v` expands a subscript; an operator that a variable holds may be `-v`. */
function unsafeTest(args: readonly ShellWord[]): string | null {
  if (args.some((arg) => arg.value === '-v' || arg.value === '-R')) return '`test -v` expands its operand';
  if (args.every((arg) => arg.value !== null)) return null;
  if (args.some((arg) => !arg.single)) return 'an unquoted expansion may be an operator of `test`';
  const operators = args.map((arg) => arg.value ?? '');
  const sure =
    args.length === 1 ||
    (args.length === 2 && (UNARY_TESTS.test(operators[0]!) || operators[0] === '!')) ||
    (args.length === 3 &&
      (BINARY_TESTS.test(operators[1]!) || (operators[0] === '!' && UNARY_TESTS.test(operators[1]!))));
  return sure ? null : 'an expansion may be an operator of `test`';
}

/** `set -k` turns later arguments into assignments, `set -H` brings earlier lines back. */
function unsafeSet(args: readonly ShellWord[]): string | null {
  for (let at = 0; at < args.length; at++) {
    const { value } = args[at]!;
    if (value === null) return 'an option of `set` is not a literal';
    if (value === '--' || !/^[-+]./.test(value)) return null;
    if (/[kH]/.test(value)) return `\`set ${value}\` changes what later words mean`;
    if (!value.endsWith('o')) continue;
    const name = args[++at];
    if (name !== undefined && !isPlainShellOption(name))
      return `\`set -o ${name.text}\` may change what later words mean`;
  }
  return null;
}

/** Options of the shell that change when a line stops or what it prints, not what its words mean. */
const PLAIN_OPTIONS = new Set(
  'allexport braceexpand dotglob errexit errtrace failglob functrace globstar hashall inherit_errexit monitor nocaseglob noclobber noexec noglob nounset nullglob onecmd physical pipefail posix verbose xtrace'.split(
    ' ',
  ),
);

/** Whether what follows `-o` or `-O` leaves the meaning of words alone. */
export function isPlainShellOption({ value }: ShellWord): boolean {
  return value !== null && PLAIN_OPTIONS.has(value);
}

type Check = (args: readonly ShellWord[]) => string | null;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...RUN_TEXT.map((name): [string, Check] => [name, () => `\`${name}\` runs or redefines commands`]),
  ...SET_VARIABLES.map((name): [string, Check] => [name, (args) => unsafeVariables(name, args)]),
  ['printf', unsafePrintf],
  ['test', unsafeTest],
  ['[', (args) => unsafeTest(args.at(-1)?.value === ']' ? args.slice(0, -1) : args)],
  ['set', unsafeSet],
  ['history', (args) => (args.length === 0 ? null : '`history` with arguments reads and writes files')],
  ['jobs', unsafeJobs],
]);

function unsafeJobs(args: readonly ShellWord[]): string | null {
  const runs = args.some(({ value }) => value === null || /^-[a-z]*x/.test(value));
  return runs ? '`jobs -x` runs a command' : null;
}

function unsafeVariables(builtin: string, args: readonly ShellWord[]): string | null {
  for (const { value, text, single } of args) {
    const shown = value ?? text;
    if (/^[^=]*\[/.test(shown)) return `\`${builtin}\` with a subscript`;
    if (builtin === 'wait' && /^-[A-Za-z]*p/.test(shown)) return '`wait -p` sets a variable';
    if (/^-[A-Za-z]*[Cin]/.test(shown) && builtin !== 'unset') return `\`${builtin} ${shown}\` evaluates its values`;
    if (/^-[a-z]*a[A-Za-z_]/.test(shown)) return `\`${builtin} ${shown}\` names a variable`;
    if (value === null && (!single || !ASSIGNED_NAME.test(shown)))
      return `an argument of \`${builtin}\` is not a literal`;
    const [, name, assigned] = ASSIGNED_NAME.exec(shown) ?? [];
    if (builtin === 'export') {
      if (value !== null && name !== undefined && assigned !== undefined && !isHarmlessVariable(name)) {
        return `\`export\` changes the variable ${name}`;
      }
    } else if (name !== undefined && builtin !== 'wait' && !isPlainVariable(name)) {
      return `\`${builtin}\` changes the variable ${name}`;
    }
  }
  return null;
}
