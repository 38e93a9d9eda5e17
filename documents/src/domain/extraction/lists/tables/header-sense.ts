import { distance } from 'fastest-levenshtein';
import type { LeafTarget } from '../../compile/target.js';
import { isNamedBy, nounOf, type LeafNoun } from './value-classes.js';
import { headerWords } from './header-words.js';

/** What a header says that only stands in the description. */
const EXPLAINED = 0.45;
/** Texts so much longer than a label are not it. */
const MOST_TIMES = 4;
/** What the first letters of words say, as `DoB`. */
const INITIALS = 0.75;

/** What a header says that is another word for the name of a thing. */
const NAME = 0.6;

interface NamedLeaf {
  noun: LeafNoun;
  labels: { words: readonly string[]; weight: number }[];
  initials: ReadonlySet<string>;
  explained: ReadonlySet<string>;
}

/** How well texts at the head of columns name the leaves that are looked for. */
export class HeaderSense {
  private readonly named: readonly NamedLeaf[];
  private readonly vocabulary: ReadonlySet<string>;
  private readonly known = new Map<string, readonly number[]>();

  constructor(leaves: readonly LeafTarget[]) {
    this.named = leaves.map(namedLeaf);
    this.vocabulary = new Set(
      this.named.flatMap((one) => [...one.labels.flatMap(({ words }) => words), ...one.initials, ...one.explained]),
    );
  }

  /** Whether a text has a word by which a leaf may be called. */
  mayName(words: readonly string[]): boolean {
    return words.some((word) => this.vocabulary.has(word)) || this.named.some(({ noun }) => isNamedBy(words, noun));
  }

  nounOf(leaf: number): LeafNoun {
    const noun = this.named[leaf]?.noun;
    if (noun === undefined) throw new RangeError(`there is no leaf ${leaf}`);
    return noun;
  }

  /** 0…1 for each leaf. */
  of(words: readonly string[]): readonly number[] {
    const key = words.join(' ');
    let scores = this.known.get(key);
    if (scores === undefined) {
      scores = this.named.map((one) => Math.max(similarity(words, one), isNamedBy(words, one.noun) ? NAME : 0));
      this.known.set(key, scores);
    }
    return scores;
  }
}

function namedLeaf(leaf: LeafTarget): NamedLeaf {
  const { labels, description } = leaf;
  const said = labels.map(({ words, weight }) => ({ words: headerWords(words.join(' ')), weight }));
  const names = labels.filter(({ from }) => from === 'name' || from === 'description');
  return {
    noun: nounOf(leaf),
    labels: said.filter(({ words }) => words.length > 0),
    initials: new Set(names.flatMap(({ words }) => (words.length > 1 ? [words.map((word) => word[0]).join('')] : []))),
    explained: new Set(headerWords(description)),
  };
}

function similarity(words: readonly string[], leaf: NamedLeaf): number {
  if (words.length === 0) return 0;
  const byLabel = leaf.labels.map((label) => label.weight * shared(words, label.words));
  const [only = ''] = words;
  const byInitials = words.length === 1 && leaf.initials.has(only) ? INITIALS : 0;
  const told = words.filter((word) => leaf.explained.has(word)).length / words.length;
  return Math.max(byInitials, told === 1 ? EXPLAINED : 0, ...byLabel);
}

/** Twice the words that both have, of all words of both: 0…1. */
function shared(words: readonly string[], label: readonly string[]): number {
  if (words.length === 0 || label.length === 0 || words.length > label.length * MOST_TIMES) return 0;
  const same = words.reduce((sum, word) => sum + Math.max(0, ...label.map((other) => sameness(word, other))), 0);
  return Math.min(1, (2 * same) / (words.length + label.length));
}

/** Beginnings of words stand for them, and a letter may be misread. */
function sameness(word: string, other: string): number {
  if (word === other) return 1;
  if (word.length >= 3 && other.length > word.length && other.startsWith(word)) return 0.8;
  if (word.length < 5 || Math.abs(word.length - other.length) > 1) return 0;
  return distance(word, other) <= 1 ? 0.8 : 0;
}
