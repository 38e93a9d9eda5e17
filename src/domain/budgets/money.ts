/** Micro-dollars in one dollar. Money is an integer number of micro-dollars everywhere but on the wire (docs/design/budgets.md). */
export const MICROS_PER_USD = 1_000_000;

/** Dollars as they are written on the wire to integer micro-dollars; halves round up. */
export function usdToMicros(usd: number): number {
  return Math.round(usd * MICROS_PER_USD);
}

/** Integer micro-dollars to the decimal dollars of the wire. */
export function microsToUsd(micros: number): number {
  return micros / MICROS_PER_USD;
}

/** Micro-dollars as a decimal text without an exponent and without trailing zeros, for `budget.exceeded` and messages. */
export function formatUsd(micros: number): string {
  const sign = micros < 0 ? '-' : '';
  const digits = Math.abs(Math.round(micros)).toString().padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`;
}
