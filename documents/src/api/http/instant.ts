import { isISO8601, ValidateBy } from 'class-validator';

/** A moment in a spelling of ISO 8601 that a `Date` reads; weeks, hours without minutes and the like are none. */
export const IsInstant = (): PropertyDecorator =>
  ValidateBy({
    name: 'isInstant',
    validator: { validate: isInstant, defaultMessage: () => 'must be a time such as 2026-01-31T12:00:00Z' },
  });

function isInstant(value: unknown): boolean {
  return isISO8601(value, { strict: true, strictSeparator: true }) && !Number.isNaN(Date.parse(value as string));
}
