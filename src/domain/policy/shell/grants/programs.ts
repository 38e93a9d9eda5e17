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

/** How the subcommands of a program are found; null for one that is not in the table. */
export function grammarOf(name: string): ReadGrammar | null {
  return GRAMMARS.get(withoutVersion(name)) ?? null;
}

/** `jest` of `jest@29`. */
export function withoutVersion(name: string): string {
  const at = name.indexOf('@', 1);
  return at === -1 ? name : name.slice(0, at);
}
