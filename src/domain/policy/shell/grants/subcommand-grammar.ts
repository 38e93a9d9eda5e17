/** How the subcommand of a program is found, and what takes its grant away. Lists are words separated by spaces. */
export interface SubcommandGrammar {
  /** Options before the subcommand that have no value. */
  flags?: string;
  /** Options before the subcommand whose value is the next word, or follows `=`. */
  valued?: string;
  /** Options that carry their value within, such as `-Dname=value`. */
  joined?: RegExp;
  /** Subcommands that only a second word completes: `docker compose up`, `npm run build`. */
  twoWords?: string;
  /** Subcommands, or with `*` the program itself, of which every word up to the first other option counts: `make a b`. */
  allWords?: string;
  /** Every subcommand has a second word: `aws s3 rm`. */
  depth?: 2;
  /** Subcommands that run the program that follows: the key goes on with that program's own. With `*` the program itself. */
  runs?: string;
  /** Subcommands that have no key: they delete, overwrite, or run what nobody has named. */
  once?: string;
  /** Options without a key, by subcommand; `*`: of every one. A letter also counts inside of `-abc`. */
  onceOptions?: Readonly<Record<string, string>>;
  /** Operands without a key, by subcommand. */
  onceOperands?: Readonly<Record<string, RegExp>>;
  /** Long options begin with one dash, so letters are not joined. */
  singleDash?: true;
}

/** A grammar whose lists are sets. */
export interface ReadGrammar {
  flags: ReadonlySet<string>;
  valued: ReadonlySet<string>;
  joined: RegExp | null;
  twoWords: ReadonlySet<string>;
  allWords: ReadonlySet<string>;
  depth: number;
  runs: ReadonlySet<string>;
  once: ReadonlySet<string>;
  onceOptions: ReadonlyMap<string, readonly string[]>;
  onceOperands: ReadonlyMap<string, RegExp>;
  singleDash: boolean;
}

export function readGrammar(grammar: SubcommandGrammar): ReadGrammar {
  return {
    flags: wordSet(grammar.flags),
    valued: wordSet(grammar.valued),
    joined: grammar.joined ?? null,
    twoWords: pathSet(grammar.twoWords),
    allWords: pathSet(grammar.allWords),
    depth: grammar.depth ?? 1,
    runs: pathSet(grammar.runs),
    once: pathSet(grammar.once),
    onceOptions: new Map(Object.entries(grammar.onceOptions ?? {}).map(([path, list]) => [path, list.split(' ')])),
    onceOperands: new Map(Object.entries(grammar.onceOperands ?? {})),
    singleDash: grammar.singleDash === true,
  };
}

export function wordSet(list = ''): ReadonlySet<string> {
  return new Set(list.split(' ').filter((word) => word !== ''));
}

/** A subcommand of two words is written with a dot between them. */
function pathSet(list = ''): ReadonlySet<string> {
  return new Set([...wordSet(list)].map((path) => path.replace('.', ' ')));
}
