import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DocsvcError } from '../errors.js';
import { MAX_FILE_BYTES, MAX_PART_BYTES, MAX_PARTS, missingRanges, planParts, rangeOfPart } from './part-plan.js';

const MIB = 1024 * 1024;
const SMALLEST_STORED_PART_BYTES = 5 * MIB;

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof DocsvcError) return error.code;
    throw error;
  }
  return 'accepted';
};

/** Sizes over the whole range, each magnitude as often as another, and those around whole numbers of parts. */
const sizes = fc.oneof(
  fc
    .double({ min: 0, max: Math.log(MAX_FILE_BYTES), noNaN: true })
    .map((log) => Math.max(1, Math.floor(Math.exp(log)))),
  fc.integer({ min: 1, max: MAX_FILE_BYTES }),
  fc
    .tuple(fc.integer({ min: 1, max: 9_000 }), fc.integer({ min: 8, max: 529 }), fc.integer({ min: -1, max: 1 }))
    .map(([parts, mib, around]) => Math.min(MAX_FILE_BYTES, parts * mib * MIB + around)),
);

describe('part plan', () => {
  it.each([
    [1, 8 * MIB, 1],
    [8 * MIB, 8 * MIB, 1],
    [8 * MIB + 1, 8 * MIB, 2],
    [1_000_000_000, 8 * MIB, 120],
    [MAX_FILE_BYTES, 530 * MIB, 8_997],
  ])('DI-008 a file of %d bytes has parts of %d bytes, %d of them', (size, partSizeBytes, partCount) => {
    expect(planParts(size)).toEqual({ sizeBytes: size, partSizeBytes, partCount });
  });

  it('DI-008 never has more parts than a store takes, nor smaller ones, up to 5 TB', () => {
    fc.assert(
      fc.property(sizes, fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }), (size, larger) => {
        const planned = planParts(size).partSizeBytes;
        const asked = larger === undefined ? undefined : planned + Math.floor(larger * (MAX_PART_BYTES - planned));
        const plan = planParts(size, asked);
        const first = rangeOfPart(plan, 1);
        const last = rangeOfPart(plan, plan.partCount);
        const whole = last.length > 0 && last.offset + last.length === size;
        const stored = plan.partSizeBytes >= SMALLEST_STORED_PART_BYTES && plan.partSizeBytes <= MAX_PART_BYTES;
        const equal = plan.partCount === 1 || (first.offset === 0 && first.length === plan.partSizeBytes);
        return whole && stored && equal && plan.partCount <= MAX_PARTS;
      }),
      { numRuns: 20_000 },
    );
  });

  it('DI-008 refuses what is larger than 5 TB, and sizes that no file has', () => {
    expect(codeOf(() => planParts(MAX_FILE_BYTES + 1))).toBe('too_large');
    expect(codeOf(() => planParts(Number.MAX_VALUE))).toBe('too_large');
    for (const size of [0, -1, 1.5, NaN]) expect(codeOf(() => planParts(size))).toBe('invalid_request');
  });

  it('takes larger parts than planned, and no smaller ones', () => {
    expect(planParts(100 * MIB, 50 * MIB + 1).partCount).toBe(2);
    expect(codeOf(() => planParts(100 * MIB, 5 * MIB))).toBe('invalid_request');
    expect(codeOf(() => planParts(100 * MIB, MAX_PART_BYTES + 1))).toBe('invalid_request');
  });

  it('DI-007 names what is missing as ranges that together with what was received are the file', () => {
    expect(missingRanges(5, [])).toEqual([{ first: 1, last: 5 }]);
    expect(missingRanges(5, [2, 4, 4])).toEqual([1, 3, 5].map((n) => ({ first: n, last: n })));
    expect(missingRanges(3, [3, 1, 2])).toEqual([]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.integer({ min: 1, max: 300 })), (count, numbers) => {
        const received = numbers.filter((number) => number <= count);
        const all = new Set(received);
        for (const { first, last } of missingRanges(count, received))
          for (let number = first; number <= last; number += 1) all.add(number);
        expect(all.size).toBe(count);
      }),
    );
  });
});
