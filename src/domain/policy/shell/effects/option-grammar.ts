import { mapItems } from '../../../map-items.js';

/**
 * What the options of a program do, as lists in the notation of a usage line: `-r` stands alone, `-k=` and `--key=` take an
 * argument, `-i?` and `--check?` may have one joined to them.
 */
export interface OptionGrammar {
  /**
   * Absent: the grammar is whole, and an option that it lacks is refused. `rows`: it only lists what is dangerous, and takes every
   * other option for harmless; for programs with too many options to list, and for interpreters by another name.
   */
  open?: 'rows';
  harmless?: string;
  /** They run or load something. */
  runs?: string;
  /** Their argument is a file that is written. */
  writes?: string;
  /** Their argument is a file that is read and shown, by a program that is not known for that. */
  reads?: string;
  /** They make the program take its instructions from elsewhere: harmless before the first operand, where a prefix sees them. */
  elsewhere?: string;
  /** They name the files that the program makes in a way that only the run decides. */
  names?: string;
  /** Their argument is an archive: written when an option of `packs` stands there too, and on another host when a colon names one. */
  archive?: string;
  packs?: string;
  /** `-5` and its like are options. */
  digits?: boolean;
  /** A number is no operand: it belongs to the option before it. */
  numbers?: boolean;
  /** A long option may be shortened; false where the program's parser wants it whole. */
  abbreviates?: boolean;
  /** Options end at the first operand. */
  prompt?: boolean;
  /** Long options start with one dash, as those of Go. */
  singleDash?: boolean;
  /** A letter takes its argument from the next word even if more letters follow it; such bundles are refused. */
  wholeWords?: boolean;
  /** The first word is a bundle of letters too, as with `tar cf`. */
  oldBundle?: boolean;
  /** Operands from this one on are written, the first being 0. */
  writtenFrom?: number;
  /** It makes files whose number and names only the run decides. */
  makes?: true;
  /** A word that runs or loads something wherever it stands. */
  suspicious?: RegExp;
  /** Any word may be such a one, so each has to be a literal. */
  literal?: boolean;
}

const USES = ['harmless', 'runs', 'writes', 'reads', 'elsewhere', 'names', 'archive', 'packs'] as const;
type Use = (typeof USES)[number];

export interface Option {
  use: Use;
  argument: 'none' | 'required' | 'optional';
}

/** A grammar made ready: options by name, with their dashes. */
export interface Grammar extends Omit<OptionGrammar, Use> {
  options: ReadonlyMap<string, Option>;
  long: readonly string[];
  /** Whether some option does more than filter, so that a word of unknown value must not become one, or several. */
  guarded: boolean;
}

const FLAG: Option = { use: 'harmless', argument: 'none' };

export function compileGrammar(source: OptionGrammar): Grammar {
  const options = new Map<string, Option>();
  for (const use of USES) {
    for (const entry of (source[use] ?? '').split(' ').filter((word) => word !== '')) {
      const argument = entry.endsWith('=') ? 'required' : entry.endsWith('?') ? 'optional' : 'none';
      options.set(argument === 'none' ? entry : entry.slice(0, -1), { use, argument });
    }
  }
  if (source.digits === true) for (let digit = 0; digit < 10; digit++) options.set(`-${digit}`, FLAG);
  const long = [...options.keys()].filter((name) => name.startsWith('--'));
  const dangerous = [...options.values()].some(({ use }) => use !== 'harmless');
  const guarded = source.open !== undefined || dangerous || (source.writtenFrom ?? 0) > 0 || source.makes !== undefined;
  return { ...source, options, long, guarded };
}

/**
 * The option that a long name means, shortened or not: `unknown` when there is none, `ambiguous` when it may mean several that differ.
 * An open grammar takes what it lacks for a flag, and a short form for the most dangerous option that it may mean.
 */
export function longOption(grammar: Grammar, name: string): Option | 'unknown' | 'ambiguous' {
  const exact = grammar.options.get(name);
  if (exact !== undefined) return exact;
  const shortens = grammar.abbreviates !== false && name.length > 2 && name.startsWith('--');
  const meant = shortens ? grammar.long.filter((option) => option.startsWith(name)) : [];
  const [first, ...rest] = mapItems(meant, (option) => grammar.options.get(option)!);
  if (grammar.open !== undefined) return [first, ...rest].find((option) => option?.use !== 'harmless') ?? FLAG;
  if (first === undefined) return 'unknown';
  return rest.every(({ use, argument }) => use === first.use && argument === first.argument) ? first : 'ambiguous';
}
