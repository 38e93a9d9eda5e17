import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { newRowId } from './row-id.js';

const make = (count: number): string[] => Array.from({ length: count }, newRowId);
/** How many are not greater than the one before them. */
const unordered = (ids: string[]): number => ids.filter((id, at) => at > 0 && id <= ids[at - 1]!).length;

describe('the id of a row', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is a UUID of version 7 that tells the moment at which it was made', () => {
    const before = Date.now();
    const id = newRowId();
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const madeAt = Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(Date.now());
  });

  it('is greater than those before it, many of which are of the same millisecond', () => {
    expect(unordered(make(20_000))).toBe(0);
  });

  it('is greater than those before it when the clock was set back', () => {
    const before = make(3);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(unordered([...before, ...make(3)])).toBe(0);
  });
});
