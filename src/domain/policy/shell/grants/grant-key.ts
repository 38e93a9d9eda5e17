import { isMcpName } from '../../../tools/mcp-name.js';
import { isCanonicalTool } from '../../../tools/vocabulary.js';
import { isGivenCode } from '../words/interpreters.js';
import type { GrantKey } from '../effects/shell-line.js';
import type { ShellWord } from '../words/shell-word.js';
import type { Unwrapped } from '../words/unwrapped.js';
import { isHarmlessVariable } from '../words/variables.js';
import { baseName, unwrap } from '../words/wrappers.js';
import { countsOnce, optionCountsOnce } from './counts-once.js';
import { grammarOf, withoutVersion } from './programs.js';
import { isCertainlyPath, isLiteral, isPlainWord, isSubcommandWord, runsScripts, scriptKey } from './script-key.js';
import { subcommandKey } from './subcommand-key.js';

const MAX_DEPTH = 8;
const MAX_KEY_LENGTH = 200;

/**
 * The key of a simple command: its program, through wrappers, and subcommand by a table of programs that have some; else its program
 * and first argument; where that is a file, an option or a text, its program alone. Whatever deletes, overwrites, re-owns, kills or
 * is given code has none (`docs/policies.md`, Session grants).
 *
 * @param unwrapped what the command runs in turn
 */
export function grantKey(words: readonly ShellWord[], unwrapped: Unwrapped | null, depth = 0): GrantKey {
  const program = words[0]?.value ?? '';
  if (program === '') return { once: 'the program is not known beforehand' };
  if (depth >= MAX_DEPTH) return { once: 'programs that run programs nest too deeply' };
  const keyOfInner: KeyOfInner = (inner) => grantKey(inner, unwrap(inner), depth + 1);
  if (unwrapped?.kind === 'command' && unwrapped.assigned.every(isHarmlessVariable)) return keyOfInner(unwrapped.words);
  const name = baseName(program);
  const why = wrapperCountsOnce(unwrapped) ?? programCountsOnce(program, name, words) ?? optionsCountOnce(name, words);
  if (why !== null) return { once: why };
  const found = keyOfProgram(program, name, words, keyOfInner);
  return 'key' in found && found.key.length > MAX_KEY_LENGTH ? { once: 'the subcommand is too long' } : found;
}

/** Answers for a program that another one runs. */
type KeyOfInner = (words: readonly ShellWord[]) => GrantKey;

function keyOfProgram(program: string, name: string, words: readonly ShellWord[], keyOfInner: KeyOfInner): GrantKey {
  const grammar = grammarOf(name);
  if (grammar !== null) return subcommandKey(program, grammar, words, keyOfInner);
  if (runsScripts(name)) return scriptKey(program, words, keyOfInner);
  return firstArgumentKey(program, words[1]);
}

function firstArgumentKey(program: string, first: ShellWord | undefined): GrantKey {
  if (first === undefined) return { key: program };
  if (first.value === null && !isCertainlyPath(first)) return { once: `\`${first.text}\` is not known beforehand` };
  return { key: first.value !== null && isPlainWord(first.value) ? `${program} ${first.value}` : program };
}

function wrapperCountsOnce(unwrapped: Unwrapped | null): string | null {
  switch (unwrapped?.kind) {
    case 'unknown':
      return unwrapped.why;
    case 'code':
      return 'a shell is given code';
    case 'command':
      return 'an assignment may change what the program does';
    case 'find':
      return unwrapped.writes.length > 0 ? 'this `find` deletes or writes files' : null;
    default:
      return null;
  }
}

function programCountsOnce(program: string, name: string, words: readonly ShellWord[]): string | null {
  if (program !== '[' && !isSubcommandWord(program)) return 'the name of the program is not a plain word';
  if (isCanonicalTool(program) || isMcpName(program)) return 'the program has the name of a tool';
  if (isGivenCode(words)) return `\`${name}\` is given code, or a program to run`;
  return countsOnce(withoutVersion(name));
}

/** Options that change what the command is, and words that may turn out to be such an option. */
function optionsCountOnce(name: string, words: readonly ShellWord[]): string | null {
  const strict = grammarOf(name) !== null;
  let ended = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!;
    if (!isLiteral(word)) {
      if (word.mayBeOption && (strict || !ended)) return `\`${word.text}\` may turn out to be an option`;
      continue;
    }
    ended ||= word.value === '--';
    if (!word.value.startsWith('-')) continue;
    const why = optionCountsOnce(name, word.value);
    if (why !== null) return why;
  }
  return null;
}
