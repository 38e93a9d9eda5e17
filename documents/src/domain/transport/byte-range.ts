import type { PartRange } from '../uploads/part-plan.js';

const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/**
 * The bytes that a `Range` header asks for (RFC 9110).
 *
 * @returns null for all of them: without a header, and for headers that may be left aside, such as several ranges
 */
export function readByteRange(header: string | undefined, sizeBytes: number): PartRange | 'outside' | null {
  const match = ONE_RANGE.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, first, last, suffix] = match;
  if (first === undefined) {
    const length = Math.min(Number(suffix), sizeBytes);
    return length === 0 ? 'outside' : { offset: sizeBytes - length, length };
  }
  const offset = Number(first);
  const end = last === '' || last === undefined ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (offset >= sizeBytes) return 'outside';
  return end < offset ? null : { offset, length: end - offset + 1 };
}
