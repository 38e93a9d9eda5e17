import type { LeafTarget } from '../compile/target.js';
import type { RecognizedKind } from '../values/recognize.js';
import { candidateOf, type Candidate } from './candidate.js';
import type { PlacedValue } from './document-index.js';
import type { Features } from './features.js';
import { sayingOfHit } from './find-labels.js';
import { namedPlaces, type NamedPlace } from './named-place.js';
import { misreadTwins } from './misread-twins.js';
import { cents, NO_AMOUNTS, paidAmounts, summedAmounts } from './paid-amounts.js';
import { sayingOf, type PartOfDocument } from './part-of-document.js';

type Recognizable = Exclude<RecognizedKind, 'text' | 'boolean'>;

const NO_TWINS: ReadonlySet<PlacedValue> = new Set();

const BY_ROLE: Readonly<Record<string, Recognizable[]>> = {
  iban: ['iban', 'identifier'],
  bic: ['bic', 'identifier'],
  'tax-id': ['vat', 'identifier'],
  currency: ['currency'],
};

/** What kinds of values a leaf may have, the likeliest first; none for texts. */
export function kindsOf({ role, valueKind, node }: LeafTarget): Recognizable[] {
  const byRole = role === null ? undefined : BY_ROLE[role];
  if (byRole !== undefined) return byRole;
  if (valueKind === 'text' || valueKind === 'boolean') return [];
  if (valueKind !== 'date') return [valueKind];
  return node.rules.some(({ format }) => format !== null) ? ['date'] : ['date', 'date-part'];
}

/** Values of the kinds of a leaf, each with what speaks for it: the labels near it, its place and its look. */
export function typedCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const kinds = kindsOf(target);
  if (kinds.length === 0) return [];
  const places = namedPlaces(target, part);
  return kinds.flatMap((kind, preference) => {
    const values = part.valuesOf(kind);
    const general = generalFeatures(values, kind, part);
    const named = places.flatMap((place) => inPlace(place, kind, part));
    // What only fits a kind by chance needs a label.
    const unnamed =
      preference === 0 || part.isNarrow
        ? part.unnamed(values).map((value) => ({ value, features: {}, foundBy: 'place' }))
        : [];
    return [...named, ...unnamed].flatMap(({ value, features, foundBy }) => {
      const own = general(value);
      const look = value.look * (preference === 0 ? 1 : 0.5);
      return candidateOf(target, { ...value, foundBy, features: { ...own, ...features, look } }) ?? [];
    });
  });
}

function inPlace(
  place: NamedPlace,
  kind: Recognizable,
  part: PartOfDocument,
): { value: PlacedValue; features: Features; foundBy: string }[] {
  const { block, from, to, relation, hit } = place;
  const values = part.index
    .valuesIn(block, kind)
    .filter((value) => value.from >= from && value.from < to && value.to <= Math.max(to, from));
  const ordered = relation === 'before' ? [...values].reverse() : values;
  return ordered.slice(0, 4).map((value, at) => {
    const gap = relation === 'before' ? to - value.to : value.from - from;
    const distance = relation === 'after' || relation === 'before' ? Math.min(1, gap / 80) : (place.features.rank ?? 0);
    return {
      value,
      foundBy: sayingOfHit(hit),
      features: { ...place.features, order: Math.min(1, at / 3), rank: distance },
    };
  });
}

/** What does not depend on labels. */
function generalFeatures(
  values: readonly PlacedValue[],
  kind: Recognizable,
  part: PartOfDocument,
): (value: PlacedValue) => Features {
  const places = new Map(values.map((value, at) => [value, at]));
  const repeats = part.repeats(values, kind);
  const paid = kind === 'money' ? paidAmounts(part) : NO_AMOUNTS;
  const summed = kind === 'money' ? summedAmounts(part) : NO_AMOUNTS;
  const isWritten = kind === 'money' || kind === 'date';
  const twins = isWritten ? misreadTwins(values, part) : NO_TWINS;
  const largest = Math.max(...values.filter(({ look }) => look >= 0.8).map(({ amount }) => amount ?? 0));
  return (value) => {
    const at = places.get(value) ?? 0;
    const count = repeats.get(sayingOf(value)) ?? 1;
    return {
      ...part.standing(value.block),
      early: 1 / (1 + at),
      late: 1 / (values.length - at),
      repeats: Math.min(1, Math.log2(count) / 3),
      ...(value.amount !== null && value.amount === largest ? { largest: 1 } : {}),
      ...(value.amount !== null && value.amount <= 0 ? { zero: 1 } : {}),
      ...(value.amount !== null && paid.has(cents(value.amount)) ? { paid: 1 } : {}),
      ...(value.amount !== null && summed.has(cents(value.amount)) ? { summed: 1 } : {}),
      ...(isWritten ? { doubt: 1 - part.readOf(value) } : {}),
      ...(twins.has(value) ? { twin: 1 } : {}),
      row: Math.min(1, part.beside(value, kind) / 2),
      ...(value.from === 0 && value.to >= value.block.text.length - 1 ? { lone: 1 } : {}),
    };
  };
}
