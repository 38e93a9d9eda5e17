import { InvalidArgumentError } from 'commander';

/** A number of an option or argument: digits only. */
export function wholeNumber(value: string): number {
  if (!/^[0-9]{1,10}$/.test(value)) throw new InvalidArgumentError('must be a whole number');
  return Number(value);
}

/** The words of an option that takes several, separated by blanks or commas. */
export function wordsOf(value: string): string[] {
  return value.split(/[\s,]+/).filter((word) => word !== '');
}
