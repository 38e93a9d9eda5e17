import { DEVELOPMENT_PROGRAMS } from './development-programs.js';
import { OPERATIONS_PROGRAMS } from './operations-programs.js';
import type { ReadGrammar } from './subcommand-grammar.js';
import { readGrammar } from './subcommand-grammar.js';

const GRAMMARS: ReadonlyMap<string, ReadGrammar> = new Map(
  Object.entries({ ...DEVELOPMENT_PROGRAMS, ...OPERATIONS_PROGRAMS }).map(([name, grammar]) => [
    name,
    readGrammar(grammar),
  ]),
);

/** The programs with subcommands. */
export const PROGRAMS_WITH_SUBCOMMANDS: readonly string[] = [...GRAMMARS.keys()].sort();

/** How the subcommands of a program are found; null for one that is not in the table. A version (`jest@29`) is passed over. */
export function grammarOf(name: string): ReadGrammar | null {
  return GRAMMARS.get(name.replace(/(?<=.)@.*$/, '')) ?? null;
}
