import { isRawNumber, type ExactJson, type RawNumber } from '../digest/exact-json.js';
import { isStorableText } from './storable-text.js';

/** Why a JSON value cannot be stored: a NUL or half a surrogate pair in a text or a key, or a number out of range. */
export type Unstorable = 'text' | 'number';

/** A number of the type numeric has at most 16,383 digits behind its point; with an exponent, a shorter literal may have as many. */
const MAX_NUMBER_CHARACTERS = 16_000;
const SIGNIFICANT = /^-?[0.]*[1-9]/;

/**
 * The first thing in a value that PostgreSQL, or a reader of what it stores, cannot hold; null when all of it can be. Without
 * recursion.
 */
export function findUnstorable(root: ExactJson): Unstorable | null {
  const pending: ExactJson[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string') {
      if (!isStorableText(value)) return 'text';
    } else if (isRawNumber(value)) {
      if (!isStorableNumber(value)) return 'number';
    } else if (Array.isArray(value)) {
      for (const item of value) pending.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (!isStorableText(key)) return 'text';
        pending.push(member);
      }
    }
  }
  return null;
}

/** Readers of JSON take numbers for doubles: one that is infinite to them, or nothing, is out of range. */
function isStorableNumber({ rawJSON: source }: RawNumber): boolean {
  const double = Number(source);
  if (!Number.isFinite(double) || source.length > MAX_NUMBER_CHARACTERS) return false;
  return double !== 0 || !SIGNIFICANT.test(source);
}
