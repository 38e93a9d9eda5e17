import { InvalidArgumentError } from 'commander';

/** A number of an option or argument: digits only. */
export function wholeNumber(value: string): number {
  if (!/^[0-9]{1,10}$/.test(value)) throw new InvalidArgumentError('must be a whole number');
  return Number(value);
}
