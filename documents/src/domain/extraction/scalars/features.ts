import type { LeafTarget } from '../compile/target.js';

/** What is weighed of a candidate, each about 0…1. */
export const FEATURES = [
  /** 1 for every candidate: how much must speak for one before it beats none. */
  'bias',
  /** How much the label says that names it, 0 without one. */
  'label',
  'quoted',
  /** Length of the label. */
  'length',
  'marked',
  'first',
  'foreign',
  'neutral',
  /** Whether the label is a part of one that names something else. */
  'rival',
  'after',
  'right',
  'below',
  'next',
  'before',
  /** What lies between the label and it. */
  'rank',
  /** Values of its kind between the label and it. */
  'order',
  /** How much it looks like its kind. */
  'look',
  /** How near it is to the top of the first page. */
  'top',
  'firstPage',
  'lastPage',
  /** Whether it is the first of its kind, falling with those before it. */
  'early',
  'late',
  /** Size of its letters, beside those of the document. */
  'size',
  'bold',
  /** Whether it stands at several places. */
  'repeats',
  /** Of amounts: whether none is larger. */
  'largest',
  /** Of amounts: whether it is nothing or less. */
  'zero',
  /** Of amounts: whether it is what was paid less the change. */
  'paid',
  /** Of amounts: whether it is what others make together that are labelled as its parts. */
  'summed',
  /** Values of its kind in the same row beside it, as in a table. */
  'row',
  /** Of texts: whether it ends as companies do. */
  'company',
  /** Of texts: whether an address in the web is made of it. */
  'web',
  /** Of texts: whether it says the noun that is sought. */
  'names',
  /** Whether it is all that its block says. */
  'lone',
  /** Whether few lines are looked at, as of one item of a list. */
  'narrow',
  /** Length of a text. */
  'long',
  /** Share of letters, of texts. */
  'letters',
  /** How surely its words were read. */
  'read',
  /** Of amounts and dates: how unsurely its words were read. */
  'doubt',
  /** Of amounts and dates: whether one that differs in a digit was read more surely. */
  'twin',
  /** Share of its words that look like words. */
  'words',
  /** Whether it has no label although one would be expected. */
  'unnamed',
  /** Whether the schema does not take it, by pattern, bounds or format. */
  'misfit',
] as const;

export type Feature = (typeof FEATURES)[number];
export type Features = Partial<Record<Feature, number>>;

/** Kinds of values that are weighed alike. */
export const FAMILIES = [
  ...['date', 'amount', 'number', 'identifier', 'code', 'contact', 'currency', 'choice', 'truth'],
  ...['line', 'company', 'person', 'title', 'place', 'address', 'passage'],
] as const;

export type Family = (typeof FAMILIES)[number];

/** How a leaf is weighed. */
export function familyOf({ node, valueKind, shape, role }: LeafTarget): Family {
  if (node.rules.some(({ type }) => type === 'boolean')) return 'truth';
  if (node.rules.some(({ values }) => values !== null)) return 'choice';
  if (role === 'currency') return 'currency';
  if (role === 'iban' || role === 'bic' || role === 'tax-id') return 'code';
  if (valueKind === 'identifier') return 'identifier';
  if (valueKind === 'money') return 'amount';
  if (valueKind === 'number' || valueKind === 'integer' || valueKind === 'percent') return 'number';
  if (valueKind === 'date' || valueKind === 'date-time' || valueKind === 'time') return 'date';
  if (valueKind === 'email' || valueKind === 'phone' || valueKind === 'uri') return 'contact';
  return shape === 'party' ? 'company' : shape;
}
