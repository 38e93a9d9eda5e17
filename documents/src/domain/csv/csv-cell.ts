/** A cell that begins so is a formula to a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * A text as a cell of CSV (RFC 4180). What a spreadsheet would run begins with an apostrophe then, which shows it as it is; numbers stay.
 *
 * @param raw leaves formulas as they are
 */
export function csvCell(text: string, raw: boolean): string {
  const safe = raw || NUMBER.test(text) || !FORMULA.test(text) ? text : `'${text}`;
  return /[",\r\n]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}
