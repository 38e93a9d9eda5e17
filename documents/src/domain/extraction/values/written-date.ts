import type { NormalScalar } from '../../schemas/normal-schema.js';
import { isoOf, type CalendarDate } from './dates.js';

const FORMAT = /\b(?:YYYY|DD|MM|YY|yyyy|dd|yy)(?:[-/. ](?:YYYY|DD|MM|YY|yyyy|dd|yy|mm)){1,2}\b/u;

/** How a schema wants dates written: `iso` or a form such as `DD/MM/YYYY`; null where it says nothing, and dates stay as they are printed. */
export function dateFormOf({ rules, description }: Pick<NormalScalar, 'rules' | 'description'>): string | null {
  if (rules.some(({ format }) => format === 'date')) return 'YYYY-MM-DD';
  const said = FORMAT.exec(description)?.[0];
  if (said !== undefined) return said.toUpperCase();
  return /\bISO\s?8601\b/iu.test(description) ? 'YYYY-MM-DD' : null;
}

/** A date in a form; null where the form wants more than is known. ISO dates may end with the month or the year where the schema has no format. */
export function writeDate(date: CalendarDate, form: string, isStrict: boolean): string | null {
  if (form === 'YYYY-MM-DD' && !isStrict) return isoOf(date);
  const parts: Readonly<Record<string, number | null>> = {
    YYYY: date.year,
    YY: date.year % 100,
    MM: date.month,
    DD: date.day,
  };
  const tokens = form.split(/([-/. ])/u);
  if (tokens.some((token) => parts[token] === null)) return null;
  return tokens.map((token) => writePart(token, parts[token])).join('');
}

function writePart(token: string, part: number | null | undefined): string {
  return part === undefined || part === null ? token : String(part).padStart(token.length, '0');
}
