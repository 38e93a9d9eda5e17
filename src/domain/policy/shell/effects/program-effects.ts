import { RUNS_ARGUMENTS } from '../words/interpreters.js';
import type { ShellWord } from '../words/shell-word.js';
import { baseName } from '../words/wrappers.js';
import { awkEffects } from './awk-effects.js';
import type { Effects } from './effects.js';
import { onlyHazard } from './effects.js';
import { gitEffects } from './git-effects.js';
import { optionEffects } from './option-effects.js';
import { OPEN_GRAMMARS } from './open-grammars.js';
import { compileGrammar } from './option-grammar.js';
import { WHOLE_GRAMMARS } from './whole-grammars.js';
import { sedEffects } from './sed-effects.js';

type Reader = (words: readonly ShellWord[]) => Effects;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...Object.entries({ ...OPEN_GRAMMARS, ...WHOLE_GRAMMARS }).map(([program, source]): [string, Reader] => {
    const grammar = compileGrammar(source);
    return [program, (words) => optionEffects(program, grammar, words)];
  }),
  ...[...RUNS_ARGUMENTS].map((program): [string, Reader] => [program, () => runnerEffects(program)]),
  ['git', gitEffects],
  ['sed', sedEffects],
  ['gsed', sedEffects],
  ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk'].map((program): [string, Reader] => [program, awkEffects]),
]);

/** The system's dynamic loader runs the program that it is given. */
const LOADER = /^ld(?:-[\w.-]+)?\.so(?:\.\d+)?$/;

/** What a simple command does beyond the name of its program (CP-338). Null when its program has no such reader. */
export function effectsOf(words: readonly ShellWord[]): Effects | null {
  const program = words[0]?.value;
  if (program === undefined || program === null) return null;
  const name = baseName(program);
  const reader = READERS.get(name);
  if (reader !== undefined) return reader(words);
  return LOADER.test(name) ? runnerEffects(name) : null;
}

/** Programs that run their arguments, or what they read, in ways that the parser does not look into: a prefix has to name what they run. */
function runnerEffects(program: string): Effects {
  return onlyHazard(1, `\`${program}\` runs what follows it, or what it reads`);
}
