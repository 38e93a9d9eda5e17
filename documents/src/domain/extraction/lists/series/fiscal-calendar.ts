import type { Reading } from '../../model/reading.js';
import { readPeriod, type Period } from './period.js';

/** A day before this one of a month still belongs to the month before, as years of 52 weeks end. */
const EARLY_DAYS = 7;
const YEAR_END = /\b(?:fiscal\s+)?years?\s+(?:ended|ending|ends|end)\b[^.;]{0,12}?([A-Z][a-z]{2,8}\.?\s+\d{1,2})\b/u;

/** When the years of a business end, and so how its periods are called. */
export class FiscalCalendar {
  /** @param lastMonth in which a fiscal year ends, 1…12 */
  constructor(readonly lastMonth: number) {}

  /** As `FY2031 Q2`, `FY2031 H1`, `FY2031 YTD` or `FY2031`; null where the period does not say when it ends. */
  labelOf(period: Period): string | null {
    if (period.quarter !== null) return `FY${period.year} Q${period.quarter}`;
    if (period.month === null) return period.months === 12 ? `FY${period.year}` : null;
    const { year, month } = monthOfEnd(period);
    const fiscalYear = month > this.lastMonth ? year + 1 : year;
    const into = ((month - this.lastMonth + 11) % 12) + 1;
    return `FY${fiscalYear}${partOf(period.months, into)}`;
  }
}

/** @param into months of the fiscal year that have passed, 1…12 */
function partOf(months: number | null, into: number): string {
  if (months === 12 || (months === null && into === 12)) return '';
  if (months === 6 && into % 6 === 0) return ` H${into / 6}`;
  if (months === 3 || (months === null && into % 3 === 0)) return ` Q${Math.ceil(into / 3)}`;
  return months === null ? ` Q${Math.ceil(into / 3)}` : ' YTD';
}

function monthOfEnd({ year, month, day }: Period): { year: number; month: number } {
  if (month === null) throw new TypeError('a period does not say in which month it ends');
  if (day === null || day > EARLY_DAYS) return { year, month };
  return month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
}

/** When fiscal years end by what a report says most often; null where it does not say. */
export function fiscalCalendarOf(reading: Reading): FiscalCalendar | null {
  const counts = new Map<number, number>();
  for (const text of sentencesOf(reading)) {
    const [, said] = YEAR_END.exec(text) ?? [];
    const period = said === undefined ? null : readPeriod(`${said}, 2000`);
    if (period?.month == null) continue;
    const { month } = monthOfEnd(period);
    counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  return best === undefined ? null : new FiscalCalendar(best[0]);
}

/** Lines with the beginning of the next, since a day may stand there. */
function* sentencesOf({ lines }: Reading): Generator<string> {
  for (const [index, { text }] of lines.entries()) yield `${text} ${lines[index + 1]?.text.slice(0, 30) ?? ''}`;
}
