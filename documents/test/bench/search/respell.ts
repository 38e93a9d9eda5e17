import type { Random } from './random.js';

/** A number or date as it stands in a text, and the same as somebody else would write it. */
export interface Respelled {
  written: string;
  spelled: string;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const GERMAN_MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');

/** An amount with groups of three or two decimals: `1,234.50` as `1234.50`, `1.234,50`, `1'234.50`, `1 234.5`. */
export function respellNumber(line: string, random: Random): Respelled | undefined {
  const numbers = [
    ...line.matchAll(
      /(?<![\p{L}\d.,/-])(\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d{2,}\.\d{2}(?=\s*$))(?![\d%\p{L}/-]|[.,]\d)/gu,
    ),
  ];
  if (numbers.length === 0) return undefined;
  const { 0: written } = random.pick(numbers);
  const [grouped = '', decimals] = written.split('.');
  const plain = grouped.replaceAll(',', '');
  const groupedBy = (mark: string): string => plain.replace(/\B(?=(?:\d{3})+$)/gu, mark);
  const fraction = (mark: string): string => (decimals === undefined ? '' : mark + decimals);
  const spellings = [
    plain + fraction('.'),
    plain + fraction(','),
    groupedBy('.') + fraction(','),
    groupedBy("'") + fraction('.'),
    groupedBy(' ') + fraction('.'),
    groupedBy(',') + (decimals === undefined ? '.00' : `.${decimals.padEnd(2, '0')}`),
    `$${plain}${fraction('.')}`,
  ].filter((spelling) => spelling !== written);
  return { written, spelled: random.pick(spellings) };
}

/** `December 31, 2024`, `31/12/2024` (day first, as on the receipts), `2024-12-31`, each as another of these or in German. */
export function respellDate(line: string, random: Random): Respelled | undefined {
  const dates = [...writtenDates(line), ...figuredDates(line)];
  if (dates.length === 0) return undefined;
  const { written, year, month, day } = random.pick(dates);
  const [two, other] = [String(day).padStart(2, '0'), String(month).padStart(2, '0')];
  const name = MONTHS[month - 1] ?? '';
  const spellings = [
    `${year}-${other}-${two}`,
    `${two}.${other}.${year}`,
    `${day} ${name} ${year}`,
    `${name} ${day}, ${year}`,
    `${day} ${name.slice(0, 3)} ${year}`,
    `${day}. ${GERMAN_MONTHS[month - 1] ?? ''} ${year}`,
    `${two}/${other}/${year}`,
  ].filter((spelling) => spelling !== written);
  return { written, spelled: random.pick(spellings) };
}

interface FoundDate {
  written: string;
  year: number;
  month: number;
  day: number;
}

const writtenDates = (line: string): FoundDate[] =>
  [...line.matchAll(new RegExp(`(${MONTHS.join('|')}) (\\d{1,2}), (\\d{4})`, 'gu'))].map(
    ([written, month = '', day, year]) => ({
      written,
      year: Number(year),
      month: MONTHS.indexOf(month) + 1,
      day: Number(day),
    }),
  );

const figuredDates = (line: string): FoundDate[] =>
  [...line.matchAll(/(?<!\d)(\d{2})\/(\d{2})\/(20\d{2})(?!\d)/gu)]
    .map(([written, day, month, year]) => ({ written, year: Number(year), month: Number(month), day: Number(day) }))
    .filter(({ month }) => month >= 1 && month <= 12);
