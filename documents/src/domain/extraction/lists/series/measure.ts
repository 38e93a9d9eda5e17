import type { ListTarget } from '../../compile/target.js';
import { MEASURES } from './measures.js';
import { rowWords } from './row-words.js';

export type Statement = 'income' | 'balance' | 'cash' | 'equity' | 'note';

/** What the figures of a list measure. */
export interface Measure {
  /** Names of its rows, the likeliest first. */
  rows: readonly (readonly string[])[];
  /** Where it is reported; null where any place will do. */
  statement: Statement | null;
  figure: 'amount' | 'each' | 'percent' | 'count';
  /** An amount in brackets is meant without its sign. */
  isOutflow: boolean;
  /** How it changed from one time to another, in percent. */
  isGrowth: boolean;
}

interface Known extends Omit<Measure, 'isGrowth'> {
  names: readonly (readonly string[])[];
}

const STATEMENTS: ReadonlySet<string> = new Set(['income', 'balance', 'cash', 'equity', 'note']);
const GROWTH: ReadonlySet<string> = new Set(['growth', 'change', 'increase']);
const NO_SIGNS: ReadonlySet<string> = new Set(['percentage', 'percent', 'compared', 'prior', 'period', 'year']);
/** Words of a description that may name something; longer ones explain. */
const LONGEST = 6;
const KNOWN = readMeasures();

/** What a list asks for, by its name and description; of what is not known the rows have its own words. */
export function measureOf({ name, description, labels }: ListTarget): Measure {
  const head = rowWords(description.split(/[.,;:(]/u)[0] ?? '');
  const spelled = rowWords(spaced(name));
  const isGrowth = [spelled, head].some((words) => words.some((word) => GROWTH.has(word)));
  const plain = (words: readonly string[]): string[] =>
    isGrowth ? words.filter((word) => !GROWTH.has(word) && !NO_SIGNS.has(word)) : [...words];
  const sentence = plain(rowWords(description.split(/[.;(]/u)[0] ?? ''));
  const known = bestOf({ spelled: plain(spelled), head: plain(head), sentence });
  if (known !== null) return { ...known, isGrowth };
  const said = [spelled, ...(head.length <= LONGEST ? [head] : [])];
  const quoted = labels.filter(({ from }) => from === 'quoted').map(({ words }) => rowWords(words.join(' ')));
  const rows = [...quoted, ...said].map(plain).filter((words) => words.length > 0);
  return { rows, statement: null, figure: 'amount', isOutflow: false, isGrowth };
}

/** The measure that a schema names in most words; its own words are worth more than an explanation. */
function bestOf(said: Record<'spelled' | 'head' | 'sentence', string[]>): Known | null {
  let best: { known: Known; score: number } | null = null;
  for (const known of KNOWN) {
    for (const name of known.names) {
      const score = Math.max(
        isSame(name, said.spelled) ? 100 : 0,
        isSame(name, said.head) ? 90 : 0,
        isPart(name, said.spelled) ? 40 + 5 * name.length : 0,
        isPart(name, said.head) ? 35 + 5 * name.length : 0,
        name.length > 1 && isPart(name, said.sentence) ? 25 + 5 * name.length : 0,
      );
      if (score > (best?.score ?? 0)) best = { known, score };
    }
  }
  return best?.known ?? null;
}

function isPart(name: readonly string[], words: readonly string[]): boolean {
  return name.every((word) => words.includes(word));
}

function isSame(name: readonly string[], words: readonly string[]): boolean {
  return isPart(name, words) && words.every((word) => name.includes(word));
}

function readMeasures(): Known[] {
  return MEASURES.split('\n').flatMap((line) => {
    const [names, rows, said] = line.split('|').map((part) => part.trim());
    if (names === undefined || rows === undefined || said === undefined) return [];
    const words = said.split(' ');
    const figure: Measure['figure'] =
      (['each', 'percent', 'count'] as const).find((one) => words.includes(one)) ?? 'amount';
    const statement = words.find((word): word is Statement => STATEMENTS.has(word)) ?? null;
    const read = { statement, figure, isOutflow: words.includes('outflow') };
    return [{ ...read, names: phrasesIn(names), rows: phrasesIn(rows) }];
  });
}

function phrasesIn(said: string): string[][] {
  const wordsIn = (phrase: string): string[] => phrase.split(' ').flatMap((one) => (one === '*' ? one : rowWords(one)));
  return said.split(';').map((phrase) => wordsIn(phrase.trim()));
}

/** `totalDebt` and `total_debt` are words like any other. */
function spaced(name: string): string {
  return name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
}
