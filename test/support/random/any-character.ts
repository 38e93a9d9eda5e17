import fc from 'fast-check';

/** Halves of pairs, which are no characters. */
const HALVES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/**
 * Any character of Unicode, as the unit of `fc.string`. The unit `binary` of fast-check has the same ones, and keeps a table of them
 * all, which takes a hundred megabytes of every process that tests.
 */
export const anyCharacter = fc.integer({ min: 0, max: LAST - HALVES.count }).map(
  (place) => String.fromCodePoint(place < HALVES.first ? place : place + HALVES.count),
  (character) => placeOf(character),
);

/** @throws TypeError when it is not one character, by which fast-check knows what it cannot make smaller */
function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (code === undefined || character !== String.fromCodePoint(code)) throw new TypeError('not one character');
  if (code >= HALVES.first && code < HALVES.first + HALVES.count) throw new TypeError('half of a pair');
  return code < HALVES.first ? code : code - HALVES.count;
}
