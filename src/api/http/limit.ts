import { SandgateError } from '../../domain/errors.js';

/** The largest page of any list; a larger `limit` is clamped to it (docs/design/api-conventions.md). */
export const MAX_LIMIT = 1000;

/** Query `limit`: a positive decimal integer, clamped to {@link MAX_LIMIT}; anything else is refused. */
export function parseLimit(raw: unknown, defaultLimit: number): number {
  if (raw === undefined) return defaultLimit;
  if (typeof raw !== 'string' || !/^[0-9]+$/.test(raw) || /^0+$/.test(raw)) {
    throw new SandgateError('invalid_request', 'limit: must be a positive integer');
  }
  return Math.min(Number(raw), MAX_LIMIT);
}

/** Query position in a ledger, as the decimal text of an int64; a negative one means the beginning. */
export function parseSeq(raw: unknown, name: string): string {
  if (raw === undefined) return '0';
  if (typeof raw !== 'string' || !/^-?[0-9]+$/.test(raw)) {
    throw new SandgateError('invalid_request', `${name}: must be an integer`);
  }
  const value = BigInt(raw);
  if (BigInt.asIntN(64, value) !== value)
    throw new SandgateError('invalid_request', `${name}: must be an integer of 64 bits`);
  return value < 0n ? '0' : value.toString();
}
