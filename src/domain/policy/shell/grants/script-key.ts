import { isInterpreter } from '../words/interpreters.js';
import type { GrantKey } from '../effects/shell-line.js';
import type { ShellWord } from '../words/shell-word.js';
import { baseName, isShell } from '../words/wrappers.js';

/** Options before a script that change nothing about which code runs. */
const HARMLESS = /^(?:-[uBOqs]+|-jar|--no-warnings|--trace-warnings|--enable-source-maps)$/;
/** What a shell reads for its own; one that is not known has been refused before. */
const SHELL_OPTION = /^[-+][A-Za-z-]+$/;
const SHELL_SETTING = /^[-+][oO]$/;
/** Programs besides interpreters of which the first operand says what runs. */
const RUNS_SCRIPTS = new Set(['tsx', 'ts-node', 'vite-node', 'ansible-playbook', 'java']);
/** Modules of an interpreter that run what they are given. */
const RUNS_CODE = new Set([
  'timeit',
  'trace',
  'pdb',
  'cProfile',
  'profile',
  'code',
  'runpy',
  'doctest',
  'asyncio',
  'sqlite3',
]);

const PLAIN = /^[A-Za-z0-9_][\w@%+=:-]{0,39}$/;
const SUBCOMMAND = /^[\w@.:%/~][\w@.:%+=/~-]{0,99}$/;

/** A word that may be a subcommand of a program of which nothing is known: no option, no file, no text. */
export function isPlainWord(value: string): boolean {
  return PLAIN.test(value);
}

/** A word that can stand in a key: without white space, commas, quotes and metacharacters. */
export function isSubcommandWord(value: string): boolean {
  return SUBCOMMAND.test(value);
}

/** Whether a word of unknown value is a path, and so no subcommand, whatever its expansions yield. */
export function isCertainlyPath({ text }: ShellWord): boolean {
  return /^["']*(?:[./~]|[^$`*?[{]*\/)/.test(text);
}

export function runsScripts(name: string): boolean {
  return isShell(name) || isInterpreter(name) || RUNS_SCRIPTS.has(name);
}

export function isLiteral(word: ShellWord): word is ShellWord & { value: string } {
  return word.value !== null;
}

/** An interpreter's key names the script and what the script is told to do; `-m` is followed by a program of its own. */
export function scriptKey(
  program: string,
  words: readonly ShellWord[],
  keyOfInner: (words: readonly ShellWord[]) => GrantKey,
): GrantKey {
  for (let at = 1; at < words.length; at++) {
    const { value } = words[at]!;
    if (value === null) return { once: 'the script is not known beforehand' };
    if (value === '-m') return moduleKey(program, words.slice(at + 1), keyOfInner);
    const shell = isShell(baseName(program));
    if (shell && SHELL_SETTING.test(value)) at++;
    else if (value !== '--' && !(shell ? SHELL_OPTION : HARMLESS).test(value)) {
      return keyOfScript(program, words.slice(at));
    }
  }
  return { once: `\`${program}\` reads code from its input` };
}

function moduleKey(
  program: string,
  words: readonly ShellWord[],
  keyOfInner: (words: readonly ShellWord[]) => GrantKey,
): GrantKey {
  const module = words[0]?.value ?? null;
  if (module === null || RUNS_CODE.has(module)) return { once: `\`${program} -m\` is given code, or a program to run` };
  const inner = keyOfInner(words);
  return 'key' in inner ? { key: `${program} -m ${inner.key}` } : inner;
}

function keyOfScript(program: string, [script, first]: readonly ShellWord[]): GrantKey {
  const name = script?.value ?? '';
  if (name.startsWith('-')) return { once: `the option \`${name}\` of \`${program}\` is not known` };
  if (!isSubcommandWord(name)) return { once: 'the name of the script is not a plain word' };
  if (first?.value === null && !isCertainlyPath(first)) return { once: `\`${first.text}\` is not known beforehand` };
  const told = first?.value ?? null;
  return { key: [program, name, ...(told !== null && isPlainWord(told) ? [told] : [])].join(' ') };
}
