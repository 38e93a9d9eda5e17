/** A day, or a month where `day` is absent. */
export interface CalendarDate {
  year: number;
  month: number;
  day?: number;
}

/** The days that a date in figures may mean: `03/04/2021` is the third of April or the fourth of March. */
export function readFigures(written: string): CalendarDate[] {
  const match = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})$/u.exec(written);
  if (match === null) return [];
  const [, first = '', , second = '', third = ''] = match;
  if (first.length === 4) {
    return third.length <= 2 ? valid([{ year: Number(first), month: Number(second), day: Number(third) }]) : [];
  }
  if (first.length > 2 || (third.length !== 4 && third.length !== 2)) return [];
  const year = readYear(third);
  return year === undefined
    ? []
    : valid([
        { year, month: Number(second), day: Number(first) },
        { year, month: Number(first), day: Number(second) },
      ]);
}

/** A year of four figures, or of two: those below 70 are of this century. */
export function readYear(written: string): number | undefined {
  if (/^(?:1[5-9]|2[01])\d\d$/u.test(written)) return Number(written);
  if (!/^\d\d$/u.test(written)) return undefined;
  return Number(written) < 70 ? 2000 + Number(written) : 1900 + Number(written);
}

/** The day of a month such as `4`, `04`, `4th`, `1er`. */
export function readDay(written: string): number | undefined {
  const match = /^(\d{1,2})(?:st|nd|rd|th|er|e|º|ª|o)?$/u.exec(written);
  const day = Number(match?.[1] ?? 0);
  return day >= 1 && day <= 31 ? day : undefined;
}

/** The month with this name or abbreviation, in lower case, in one of seven languages. */
export function readMonth(name: string): number | undefined {
  return MONTHS.get(name);
}

/** What an index holds of a date: the day and its month, so that a day is found by its month as well. */
export function dateReadings({ year, month, day }: CalendarDate): string[] {
  const ofMonth = `${year}${two(month)}`;
  return day === undefined ? [ofMonth] : [`${ofMonth}${two(day)}`, ofMonth];
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Those that the calendar has, each once. */
export function valid(dates: readonly Required<CalendarDate>[]): Required<CalendarDate>[] {
  const seen = new Map<string, Required<CalendarDate>>();
  for (const date of dates) {
    const { year, month, day } = date;
    const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
    if (year >= 1500 && year < 2200 && month >= 1 && month <= 12 && day >= 1 && day <= days) {
      seen.set(`${month}-${day}`, date);
    }
  }
  return [...seen.values()];
}

/** Names by month: English, German, French, Spanish, Italian, Dutch, Portuguese; with and without accents. */
const NAMES = [
  'january jan januar jänner janvier janv enero ene gennaio gen januari janeiro',
  'february feb februar février fevrier févr fevr febrero febbraio febbr februari fevereiro fev',
  'march mar märz maerz mrz mär mars marzo maart mrt março marco',
  'april apr avril avr abril abr aprile',
  'may mai mayo maggio mag mei maio',
  'june jun juni juin junio giugno giu junho',
  'july jul juli juillet juil julio luglio lug julho',
  'august aug août aout agosto ago augustus',
  'september sep sept septembre septiembre settembre set setembro',
  'october oct oktober okt octobre octubre ottobre ott outubro out',
  'november nov novembre noviembre novembro',
  'december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro',
];

const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
);
