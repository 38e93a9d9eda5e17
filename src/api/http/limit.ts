import { SandgateError } from '../../domain/errors.js';

/** The largest page of any list; a larger `limit` is clamped to it (00-design §1). */
export const MAX_LIMIT = 1000;
const MAX_INT64 = 2n ** 63n - 1n;

/** Query `limit`: a positive decimal integer, clamped to {@link MAX_LIMIT}; anything else is refused. */
export function parseLimit(raw: unknown, defaultLimit: number): number {
  if (raw === undefined) return defaultLimit;
  if (typeof raw !== 'string' || !/^[0-9]+$/.test(raw) || /^0+$/.test(raw)) {
    throw new SandgateError('invalid_request', 'limit: must be a positive integer');
  }
  return Math.min(Number(raw), MAX_LIMIT);
}

/** Query or header position in a ledger, as the decimal text of an int64; a position beyond the type is its end. */
export function parseSeq(raw: unknown, name: string): string {
  if (raw === undefined) return '0';
  if (typeof raw !== 'string' || !/^-?[0-9]+$/.test(raw)) {
    throw new SandgateError('invalid_request', `${name}: must be an integer`);
  }
  const value = BigInt(raw.slice(0, 64));
  if (value < 0n) return '0';
  return (value > MAX_INT64 ? MAX_INT64 : value).toString();
}
