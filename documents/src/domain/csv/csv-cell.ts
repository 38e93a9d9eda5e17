/** A cell that begins so is a formula to some spreadsheet: blanks before it are passed over, and signs of full width count as others do. */
const FORMULA = /^(?:[\t\r\n]|[\s\uFEFF\0]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;
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
