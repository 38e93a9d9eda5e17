import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkPage } from './chunk-page.js';

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describe('the stretches of a page', () => {
  it('DI-019 hold every word, about 150 each, and repeat 30 words of the one before', () => {
    const text = fc.array(fc.stringMatching(/^[a-z0-9.,]{1,9}$/), { maxLength: 900 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, (page) => {
        const chunks = [...chunkPage(page)].map(({ from, to }) => wordsOf(page.slice(from, to)));
        const all = wordsOf(page);
        const rejoined = chunks.flatMap((words, at) => (at === 0 ? words : words.slice(30)));
        expect(rejoined).toEqual(all);
        for (const words of chunks.slice(0, -1)) expect(words).toHaveLength(150);
        expect((chunks.at(-1) ?? []).length).toBeLessThanOrEqual(180);
      }),
    );
  });

  it('hold every character of words without an end, and are never longer than a vector takes', () => {
    const text = `${'a'.repeat(40_000)} ${'b'.repeat(999)} ${`${'c'.repeat(900)} `.repeat(60)}`;
    const chunks = [...chunkPage(text)];
    for (const { from, to } of chunks) expect(to - from).toBeLessThanOrEqual(16_384);
    const held = new Set<number>();
    for (const { from, to } of chunks) for (let at = from; at < to; at += 1) held.add(at);
    expect([...text].every((letter, at) => letter === ' ' || held.has(at))).toBe(true);
  });

  it('an empty page has none', () => {
    expect([...chunkPage(' \n ')]).toEqual([]);
  });
});
