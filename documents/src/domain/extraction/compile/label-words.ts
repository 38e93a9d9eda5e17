import { singularOf } from '../../schemas/words/name-field.js';

/** A word of a text as labels are compared: in small letters, the singular and without accents, with its place. */
export interface LabelWord {
  text: string;
  from: number;
  to: number;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?|[#№%]/gu;
const SAME: Readonly<Record<string, string>> = {
  ...{ no: 'number', nr: 'number', num: 'number', nbr: 'number', nro: 'number', '#': 'number', '№': 'number' },
  ...{
    numero: 'number',
    nummer: 'number',
    '%': 'percent',
    pct: 'percent',
    amt: 'amount',
    amnt: 'amount',
    qty: 'quantity',
  },
  ...{
    tel: 'telephone',
    phone: 'telephone',
    dept: 'department',
    inv: 'invoice',
    acct: 'account',
    addr: 'address',
    ref: 'reference',
  },
  ...{
    ttl: 'total',
    ttal: 'total',
    dt: 'date',
    nett: 'net',
    regd: 'registered',
    reg: 'registration',
    grandtotal: 'total',
    subtotal: 'subtotal',
  },
};

/** Words of a text, marks left out. Abbreviations of one noun are the same word, and `sub total` is `subtotal`. */
export function labelWords(text: string): LabelWord[] {
  const words: LabelWord[] = [];
  for (const match of text.matchAll(WORD)) {
    const [said] = match;
    const word = { text: plainWord(said), from: match.index, to: match.index + said.length };
    const before = words.at(-1);
    if (before?.text === 'sub' && word.text === 'total')
      words[words.length - 1] = { ...word, text: 'subtotal', from: before.from };
    else words.push(word);
  }
  return words;
}

/** The words of a label. */
export function wordsOfLabel(label: string): string[] {
  return labelWords(label).map(({ text }) => text);
}

/** Most words are of these alone, which have no marks. */
const WITHOUT_MARKS = /^[A-Za-z0-9]+$/;

function plainWord(said: string): string {
  const plain = WITHOUT_MARKS.test(said) ? said.toLowerCase() : withoutMarks(said);
  const one = singularOf(plain);
  return SAME[plain] ?? SAME[one] ?? one;
}

function withoutMarks(said: string): string {
  return said
    .replaceAll(/['’]\p{L}+$/gu, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
}
