import type { PartOfDocument } from './part-of-document.js';

const PAID: ReadonlySet<string> = new Set(
  'cash tendered accepted paid tender payment received visa mastercard card bar gegeben efectivo contant contante especes tunai'.split(
    ' ',
  ),
);
const CHANGE: ReadonlySet<string> = new Set('change ruckgeld cambio wisselgeld monnaie resto baki zuruck'.split(' '));

const NET: ReadonlySet<string> = new Set(
  'subtotal excluding excl exclusive untaxed netto nettobetrag zwischensumme imponibile grondslag'.split(' '),
);
const TAX: ReadonlySet<string> = new Set('tax gst vat sst mwst ust umsatzsteuer tva iva btw moms'.split(' '));
const GROSS: ReadonlySet<string> = new Set('total inclusive incl including'.split(' '));
const ROUNDING: ReadonlySet<string> = new Set('rounding round adjustment adj rundung afronding arrondi'.split(' '));
/** Where cash is rounded, it is to five of the smallest coins. */
const COIN = 5;
/** Cash is rounded by less than this. */
const MOST_ROUNDED = 50;
/** Of so many amounts some are the sum of others by chance. */
const MOST_AMOUNTS = 200;

export const NO_AMOUNTS: ReadonlySet<number> = new Set();
const PAID_IN = new WeakMap<PartOfDocument, ReadonlySet<number>>();
const SUMMED_IN = new WeakMap<PartOfDocument, ReadonlySet<number>>();

/** In whole cents, so that sums can be compared. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}

/** What was paid less the change, for every pair of amounts that say so; what is to be paid is one of them. */
export function paidAmounts(part: PartOfDocument): ReadonlySet<number> {
  const known = PAID_IN.get(part);
  if (known !== undefined) return known;
  const [paid, change] = [amountsBeside(PAID, part), amountsBeside(CHANGE, part)];
  const made = new Set(
    paid.flatMap((one) => change.map((back) => cents(one) - cents(Math.abs(back)))).filter((one) => one > 0),
  );
  PAID_IN.set(part, made);
  return made;
}

/** Net and tax together, and a total with its rounding, which often is read worse than the rest. */
export function summedAmounts(part: PartOfDocument): ReadonlySet<number> {
  const known = SUMMED_IN.get(part);
  if (known !== undefined) return known;
  const inCents = (words: ReadonlySet<string>): number[] => [...new Set(amountsBeside(words, part).map(cents))];
  const [net, tax, gross] = [inCents(NET), inCents(TAX), inCents(GROSS)];
  const rounding = inCents(ROUNDING).filter((one) => one !== 0 && Math.abs(one) <= MOST_ROUNDED);
  const taxed = net.flatMap((one) => tax.filter((other) => other > 0 && other < one).map((other) => one + other));
  const rounded = [...gross, ...taxed].flatMap((one) => rounding.map((other) => one + other));
  const isRounded = [...ROUNDING].some((word) => part.index.placesOf(word).length > 0);
  const inCoins = isRounded ? gross.filter((one) => one % COIN !== 0).map((one) => Math.round(one / COIN) * COIN) : [];
  const made = new Set([...taxed, ...rounded, ...inCoins]);
  SUMMED_IN.set(part, made);
  return made;
}

function amountsBeside(words: ReadonlySet<string>, part: PartOfDocument): number[] {
  const { index } = part;
  if (part.valuesOf('money').length > MOST_AMOUNTS) return [];
  const blocks = new Set(
    [...words].flatMap((word) => index.placesOf(word)).flatMap((at) => index.words[at]?.block ?? []),
  );
  return [...blocks]
    .filter((block) => part.holds(block))
    .flatMap((block) => [block, ...index.neighbours.rightOf(block).slice(0, 2)])
    .flatMap((block) => index.valuesIn(block, 'money').map(({ amount }) => amount ?? 0));
}
