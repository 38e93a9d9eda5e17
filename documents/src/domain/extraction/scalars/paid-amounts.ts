import type { PartOfDocument } from './part-of-document.js';

const PAID: ReadonlySet<string> = new Set(
  'cash tendered paid tender payment received visa mastercard card bar gegeben efectivo contant contante especes tunai'.split(
    ' ',
  ),
);
const CHANGE: ReadonlySet<string> = new Set('change ruckgeld cambio wisselgeld monnaie resto baki zuruck'.split(' '));

export const NOTHING_PAID: ReadonlySet<number> = new Set();
const KNOWN = new WeakMap<PartOfDocument, ReadonlySet<number>>();

/** In whole cents, so that sums can be compared. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}

/** What was paid less the change, for every pair of amounts that say so; what is to be paid is one of them. */
export function paidAmounts(part: PartOfDocument): ReadonlySet<number> {
  const known = KNOWN.get(part);
  if (known !== undefined) return known;
  const [paid, change] = [amountsBeside(PAID, part), amountsBeside(CHANGE, part)];
  const made = new Set(
    paid.flatMap((one) => change.map((back) => cents(one) - cents(Math.abs(back)))).filter((one) => one > 0),
  );
  KNOWN.set(part, made);
  return made;
}

function amountsBeside(words: ReadonlySet<string>, part: PartOfDocument): number[] {
  const { index } = part;
  const blocks = new Set(
    [...words].flatMap((word) => index.placesOf(word)).flatMap((at) => index.words[at]?.block ?? []),
  );
  return [...blocks]
    .filter((block) => part.holds(block))
    .flatMap((block) => [block, ...index.neighbours.rightOf(block).slice(0, 2)])
    .flatMap((block) => index.valuesIn(block, 'money').map(({ amount }) => amount ?? 0));
}
