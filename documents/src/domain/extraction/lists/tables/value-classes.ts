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

/** Nouns of what a row is about, which is called by its name or described. */
const THINGS: ReadonlySet<string> = new Set(
  'name description item product article service title text detail particular designation subject'.split(' '),
);

/** What the noun of a leaf says of the columns that hold it. */
export interface LeafNoun {
  hasName: boolean;
  isPlace: boolean;
  isThing: boolean;
}

export function nounOf(leaf: LeafTarget): LeafNoun {
  const own = headerWords(leaf.name);
  const [first, ...more] = headerWords(leaf.description.split(/[.,;:(]/u)[0] ?? '');
  const all = [...own, first ?? '', ...more];
  return {
    hasName: all.some((noun) => NAMED.has(noun)),
    isPlace: all.some((noun) => PLACES.has(noun)),
    isThing: leaf.valueKind === 'text' && (areThings(own) || (first !== undefined && THINGS.has(first))),
  };
}

/** 0…1: how far texts look like the values of a leaf, where its noun tells. */
export function classFit({ hasName, isPlace }: LeafNoun, texts: readonly string[]): number {
  if (!hasName && !isPlace) return 0;
  const pattern = isPlace ? CODE : PERSON;
  return texts.filter((text) => pattern.test(text)).length / Math.max(1, texts.length);
}

/** A header that says `Name` alone names whoever has one; `Description`, `Item` and their like stand for each other. */
export function isNamedBy(words: readonly string[], { hasName, isThing }: LeafNoun): boolean {
  return (hasName && words.length <= 2 && words.includes('name')) || (isThing && areThings(words));
}

function areThings(words: readonly string[]): boolean {
  return words.length > 0 && words.length <= 2 && words.every((word) => THINGS.has(word));
}
