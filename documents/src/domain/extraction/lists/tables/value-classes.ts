import type { LeafTarget } from '../../compile/target.js';
import { headerWords } from './header-words.js';

/** Nouns of those who have names. */
const NAMED: ReadonlySet<string> = new Set(
  (
    'person athlete player runner driver rider competitor employee worker staff member participant attendee student pupil teacher ' +
    'patient doctor physician client customer vendor supplier seller buyer contact author owner tenant passenger guest applicant candidate ' +
    'director manager shareholder holder payee beneficiary signatory speaker user company firm organization'
  ).split(' '),
);
const PLACES: ReadonlySet<string> = new Set(['country', 'nation', 'nationality', 'state', 'federation']);
const PERSON = /^\p{Lu}[\p{L}'’.-]*(?:,? \p{L}[\p{L}'’.-]*){1,5}$/u;
const CODE = /^\p{Lu}{2,3}$/u;

/** 0…1: what the values of a leaf without a label in the header look like, where its noun tells. */
export function classFit(leaf: LeafTarget, texts: readonly string[]): number {
  const nouns = [...headerWords(leaf.name), ...headerWords(leaf.description.split(/[.,;:(]/u)[0] ?? '')];
  const share = (pattern: RegExp): number =>
    texts.filter((text) => pattern.test(text)).length / Math.max(1, texts.length);
  if (nouns.some((noun) => PLACES.has(noun))) return share(CODE);
  if (nouns.some((noun) => NAMED.has(noun))) return share(PERSON);
  return 0;
}

/** Nouns of what a row is about, which is called by its name or described. */
const THINGS: ReadonlySet<string> = new Set(
  'name description item product article service title text detail particular designation subject'.split(' '),
);

/** What the noun of a leaf says of the columns that hold it. */
export interface LeafNoun {
  hasName: boolean;
  isThing: boolean;
}

export function nounOf(leaf: LeafTarget): LeafNoun {
  const own = headerWords(leaf.name);
  const [first, ...more] = headerWords(leaf.description.split(/[.,;:(]/u)[0] ?? '');
  return {
    hasName: [...own, first ?? '', ...more].some((noun) => NAMED.has(noun)),
    isThing: leaf.valueKind === 'text' && (areThings(own) || (first !== undefined && THINGS.has(first))),
  };
}

/** A header that says `Name` alone names whoever has one; `Description`, `Item` and their like stand for each other. */
export function isNamedBy(words: readonly string[], { hasName, isThing }: LeafNoun): boolean {
  return (hasName && words.length <= 2 && words.includes('name')) || (isThing && areThings(words));
}

function areThings(words: readonly string[]): boolean {
  return words.length > 0 && words.length <= 2 && words.every((word) => THINGS.has(word));
}
