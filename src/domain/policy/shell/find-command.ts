import type { ShellWord } from './shell-word.js';
import type { Unwrapped } from './unwrapped.js';

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const PRINTS = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

/** The commands that `find` runs, whether elsewhere, and the files that it writes (06-gate §1). A word that an expansion decides may be an action. */
export function unwrapFind(args: readonly ShellWord[]): Unwrapped {
  const commands: ShellWord[][] = [];
  const writes: { text: string; path: string | null }[] = [];
  let moves = false;
  for (let at = 0; at < args.length; at++) {
    const { value, text, mayBeOption } = args[at]!;
    if (value === null && mayBeOption) {
      return { kind: 'unknown', why: `\`${text}\` may be an action of \`find\`` };
    }
    if (value === null) continue;
    if (RUNS.has(value)) {
      moves ||= value.endsWith('dir');
      const end = endOfExec(args, at + 1);
      commands.push(args.slice(at + 1, end).map(hideFound));
      at = end;
    } else if (value === '-delete') {
      writes.push({ text: 'find -delete', path: null });
    } else if (PRINTS.has(value)) {
      at++;
      writes.push({ text: `find ${value}`, path: args[at]?.value ?? null });
    } else if (value === '-files0-from') {
      return { kind: 'unknown', why: '`find -files0-from` reads what nobody has seen' };
    }
  }
  return { kind: 'find', commands, writes, moves };
}

/** `;`, or `+` right after `{}`, ends the command of `-exec`. */
function endOfExec(args: readonly ShellWord[], from: number): number {
  for (let at = from; at < args.length; at++) {
    if (args[at]!.value === ';') return at;
    if (args[at]!.value === '+' && args[at - 1]?.value === '{}') return at;
  }
  return args.length;
}

/** What `find` puts in place of `{}` begins like one of its starting points, which are no options. */
function hideFound(word: ShellWord): ShellWord {
  if (word.value?.includes('{}') !== true) return word;
  return { ...word, value: null, mayBeOption: word.value.startsWith('-') };
}
