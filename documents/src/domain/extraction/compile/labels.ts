import { conceptOf } from '../../schemas/words/lexicon.js';
import { singularOf, wordsOf } from '../../schemas/words/name-field.js';
import type { Role } from './roles.js';
import type { Label } from './target.js';

const WEIGHTS = { quoted: 1, name: 0.9, synonym: 0.85, description: 0.7, parent: 0.95 } as const;
/** Weight of labels of a noun that is a part of what is sought. */
const PARTIAL = 0.3;
/** Words of a description that may be a label; longer ones explain. */
const LONGEST = 5;
/** What stands before a quotation that is printed in the document. */
const SHOWN =
  /(?:label(?:l?ed)?|shown|printed|marked|called|titled|headed|named|captioned|next to|beside|under|below|after|column|heading|field|box)[^.;"“'‘]{0,30}$/iu;
/** What stands before a quotation that is an example of a value. */
const EXAMPLE = /(?:e\.?\s?g\.?|example|such as|for instance|like|i\.?\s?e\.?|format|examples)[^"“'‘]{0,200}$/iu;

/** By which words a document may name what a key stands for, the likeliest first, none twice. */
export function labelsOf({
  name,
  description,
  parents,
  role = null,
}: {
  name: string;
  description: string;
  parents: readonly string[];
  role?: Role | null;
}): Label[] {
  const own = plainWords(name);
  const [head = ''] = description.split(/[.,;:(]/u);
  const heading = plainWords(head);
  const labels: Label[] = [
    ...quotedIn(description).map((said) => labelOf(plainWords(said), 'quoted')),
    ...parents.slice(-1).map((parent) => labelOf([...plainWords(parent), ...own], 'parent')),
    labelOf(own, 'name'),
    ...(heading.length <= LONGEST ? [labelOf(heading, 'description')] : []),
    ...turnedLabels(heading),
    ...(role?.labels ?? []).map((said) => labelOf(plainWords(said), 'synonym')),
    ...(role === null ? conceptLabels([own, ...(heading.length <= LONGEST ? [heading] : [])]) : []),
  ];
  const seen = new Set<string>();
  return labels.filter(({ words }) => {
    const key = words.join(' ');
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What parts a noun from what is told of it. */
const TOLD: ReadonlySet<string> = new Set(
  'of by in on at for from to with that which who whose where as under before after between per during'.split(' '),
);
const ARTICLES: ReadonlySet<string> = new Set(['the', 'a', 'an', 'each', 'its', 'this']);
/** Nouns that say next to nothing alone. */
const COMMON: ReadonlySet<string> = new Set(
  'name number date amount total identifier id code text value type kind entry list item line time one place person'.split(
    ' ',
  ),
);
/** A noun that a description begins with, before what is told of it. */
const HEAD = 0.6;

/** `Identifier of the patient` is printed as `Patient identifier`, the `Name of the test` as `Test`, the `Carrier that brings the goods` as `Carrier`. */
function turnedLabels(heading: readonly string[]): Label[] {
  const at = heading.findIndex((word) => TOLD.has(word));
  const head = heading.slice(0, at).filter((word) => !ARTICLES.has(word));
  if (at < 1 || head.length === 0 || head.length > 3) return [];
  const isCommon = COMMON.has(singularOf(head.at(-1) ?? ''));
  const alone: Label[] = isCommon ? [] : [{ words: head, weight: HEAD, from: 'description' }];
  const rest = heading.slice(at + 1).filter((word) => !ARTICLES.has(word));
  if (heading[at] !== 'of' || rest.length === 0 || rest.length > 2) return alone;
  const isNamed = head.length === 1 && head[0] === 'name';
  return [
    labelOf([...rest, ...head], 'description'),
    ...(isNamed ? [{ words: rest, weight: HEAD, from: 'description' } as const] : []),
    ...alone,
  ];
}

/** Those of the noun that a phrase ends with; `date` alone says little of an `appointment date`. */
function conceptLabels(phrases: readonly (readonly string[])[]): Label[] {
  return phrases.flatMap((phrase) => {
    const words = phrase.map(singularOf);
    const concept = conceptOf(words);
    const [noun] = concept?.labels ?? [];
    const weight = noun === words.join(' ') ? WEIGHTS.synonym : PARTIAL;
    return (concept?.labels ?? []).map((said) => ({ words: plainWords(said), weight, from: 'synonym' as const }));
  });
}

function labelOf(words: readonly string[], from: Label['from']): Label {
  return { words, weight: WEIGHTS[from], from };
}

/** Words in small letters; those of a key in camel or snake case too. */
export function plainWords(said: string): string[] {
  const spaced = said.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
  return wordsOf(spaced).map((word) => word.toLowerCase());
}

/** What a description quotes as printed; examples of values are no labels. */
function quotedIn(description: string): string[] {
  return [...description.matchAll(/["“'‘]([^"”'’]{1,60})["”'’]/gu)].flatMap(({ 1: said = '', index }) => {
    const before =
      description
        .slice(0, index)
        .split(/[.;]\s/u)
        .at(-1) ?? '';
    const isOneOfSeveral = /,\s*$/u.test(before) || /^.{1,62},\s*["“'‘]/u.test(description.slice(index));
    const isLabel = SHOWN.test(before) || !(EXAMPLE.test(before) || isOneOfSeveral);
    return isLabel && /\p{L}/u.test(said) ? [said] : [];
  });
}
