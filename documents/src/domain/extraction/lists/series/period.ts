/** The time that a figure is of. */
export interface Period {
  /** Length in months; null for a day, as of balances. */
  months: number | null;
  /** Last day, as far as it is said. */
  year: number;
  month: number | null;
  day: number | null;
  /** Number of a quarter of the fiscal year that is said instead of months. */
  quarter: number | null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const COUNTS: Readonly<Record<string, number>> = {
  ...{ one: 1, two: 2, three: 3, four: 4, six: 6, nine: 9, twelve: 12, thirteen: 13, fourteen: 14 },
};
const ORDINALS: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4 };
const WEEKS_OF_MONTH = 13 / 3;

const YEAR = /\b(?:19|20)\d\d\b/u;
const DAY =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d)|\b(\d{1,2})\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/iu;
const LENGTH = /\b(\d{1,2}|one|two|three|four|six|nine|twelve|thirteen|fourteen)[\s-]+(month|week)/iu;
const QUARTER = /\b(?:q([1-4])\b|([1-4])q\b|(first|second|third|fourth)\s+(?:fiscal\s+)?quarter)/iu;
const WHOLE_YEAR =
  /\b(?:fiscal\s+)?years?\s+(?:ended|ending|to)\b|\bfull\s+year\b|\bfy\s?(?:19|20)?\d\d\b|\bfiscal\s+(?:year\s+)?(?:19|20)\d\d/iu;
const ONE_QUARTER = /\bquarters?\s+(?:ended|ending)\b/iu;

/** The time that the words above a column say; null where they say none. Without a length it is a day. */
export function readPeriod(said: string): Period | null {
  const year = YEAR.exec(said);
  if (year === null) return null;
  const day = DAY.exec(said);
  const quarter = QUARTER.exec(said);
  return {
    months: monthsIn(said, quarter !== null),
    year: Number(year[0]),
    month: day === null ? null : monthOf(day[1] ?? day[4] ?? ''),
    day: day === null ? null : Number(day[2] ?? day[3]),
    quarter: quarter === null ? null : quarterOf(quarter),
  };
}

/** Whether words speak of a time at all, as those of a header do. */
export function speaksOfTime(said: string): boolean {
  return YEAR.test(said) || DAY.test(said) || LENGTH.test(said) || QUARTER.test(said) || WHOLE_YEAR.test(said);
}

function monthsIn(said: string, isQuarter: boolean): number | null {
  const length = LENGTH.exec(said);
  if (length !== null) {
    const count = Number(length[1]) || (COUNTS[(length[1] ?? '').toLowerCase()] ?? 0);
    return (length[2] ?? '').toLowerCase() === 'week' ? Math.round(count / WEEKS_OF_MONTH) : count;
  }
  if (isQuarter || ONE_QUARTER.test(said)) return 3;
  return WHOLE_YEAR.test(said) ? 12 : null;
}

function quarterOf([, before, after, word]: RegExpExecArray): number {
  return Number(before ?? after ?? 0) || (ORDINALS[(word ?? '').toLowerCase()] ?? 0);
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Equal for equal times. */
export function keyOfPeriod({ months, year, month, day, quarter }: Period): string {
  return [months, year, month, day, quarter].join('/');
}
