import type { Random } from '../../../bench/search/random.js';

const FIRST = [
  'Amara',
  'Bjorn',
  'Celine',
  'Dario',
  'Elif',
  'Farid',
  'Greta',
  'Hiro',
  'Ines',
  'Jonas',
  'Katya',
  'Liam',
  'Mina',
  'Noor',
];
const LAST = [
  'Abendroth',
  'Bellweather',
  'Castellan',
  'Duarte',
  'Eklund',
  'Farrow',
  'Grimaldi',
  'Hartono',
  'Ivers',
  'Jankovic',
  'Kestrel',
  'Lindqvist',
];
const PLACES = [
  'Norwick',
  'Hallstead',
  'Breckford',
  'Ostermoor',
  'Velden',
  'Karlsby',
  'Mirador',
  'Santoro Bay',
  'Tolland',
];
const STREETS = ['Mill Lane', 'Harbour Street', 'Quarry Road', 'Station Avenue', 'Orchard Close', 'Foundry Way'];
const TRADES = ['Ironworks', 'Textiles', 'Foods', 'Instruments', 'Timber', 'Optics', 'Packaging', 'Ceramics'];
const FORMS = ['Ltd', 'GmbH', 'Inc.', 'B.V.', 'AG', 'LLC'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Names, places and days that nobody has. */
export const personOf = (random: Random): string => `${random.pick(FIRST)} ${random.pick(LAST)}`;
export const placeOf = (random: Random): string => random.pick(PLACES);
export const streetOf = (random: Random): string => `${1 + random.below(180)} ${random.pick(STREETS)}`;
export const companyOf = (random: Random): string =>
  `${random.pick(LAST)} ${random.pick(TRADES)} ${random.pick(FORMS)}`;
export const digitsOf = (random: Random, count: number): string =>
  Array.from({ length: count }, (_, at) => String(at === 0 ? 1 + random.below(9) : random.below(10))).join('');
export const centsOf = (random: Random, most: number): number => (1 + random.below(most * 100)) / 100;

/** A day, as data has it. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

export const dayOf = (random: Random): Day => ({
  year: 2023 + random.below(4),
  month: 1 + random.below(12),
  day: 1 + random.below(28),
});

const padded = (value: number): string => String(value).padStart(2, '0');
export const isoOf = ({ year, month, day }: Day): string => `${year}-${padded(month)}-${padded(day)}`;
export const dottedOf = ({ year, month, day }: Day): string => `${padded(day)}.${padded(month)}.${year}`;
export const longOf = ({ year, month, day }: Day): string => `${day} ${MONTHS[month - 1] ?? ''} ${year}`;

/** Grouped by thousands with two decimals, as `1,234.50` or `1.234,50`. */
export function moneyOf(value: number, style: 'english' | 'german' = 'english'): string {
  const [whole = '0', cents = '00'] = Math.abs(value).toFixed(2).split('.');
  const [group, point] = style === 'english' ? [',', '.'] : ['.', ','];
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/gu, group);
  return `${value < 0 ? '-' : ''}${grouped}${point}${cents}`;
}

/** An account number whose check digits are right. */
export function ibanOf(random: Random): string {
  const account = digitsOf(random, 18);
  const remainder = BigInt(`${account}131400`) % 97n;
  return `DE${padded(98 - Number(remainder))}${account}`;
}
