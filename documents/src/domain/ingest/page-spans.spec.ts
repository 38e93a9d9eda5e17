import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planBatches, remainderOf, type PageSpan } from './page-spans.js';

/** Reads a span as a program would that dies at every bad page. @returns what was read, what failed, and how many programs died */
function readAll(span: PageSpan, bad: ReadonlySet<number>): { read: number[]; failed: number[]; deaths: number } {
  const [read, failed]: [number[], number[]] = [[], []];
  const seen = new Set<string>();
  let deaths = 0;
  for (const spans = [span]; spans.length > 0;) {
    const next = spans.shift() as PageSpan;
    const key = `${next.from}-${next.to}`;
    if (seen.has(key)) throw new Error(`${key} is read twice`);
    seen.add(key);
    const pages = Array.from({ length: next.to - next.from + 1 }, (_, at) => next.from + at);
    const died = pages.findIndex((page) => bad.has(page));
    read.push(...(died < 0 ? pages : pages.slice(0, died)));
    if (died < 0) continue;
    deaths += 1;
    const remainder = remainderOf(next, died, true);
    if (remainder.failed !== null) failed.push(remainder.failed);
    spans.push(...remainder.spans);
  }
  return { read, failed, deaths };
}

describe('what is read after a program died', () => {
  it('DI-005 every good page is read once, every bad page fails alone, and no span is tried twice', () => {
    const pages = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(pages, fc.uniqueArray(pages, { maxLength: 50 }), (size, bad) => {
        const badOnes = new Set(bad.filter((page) => page <= size));
        const { read, failed, deaths } = readAll({ from: 1, to: size }, badOnes);
        const all = Array.from({ length: size }, (_, at) => at + 1);
        expect(read.toSorted((a, b) => a - b)).toEqual(all.filter((page) => !badOnes.has(page)));
        expect(failed.toSorted((a, b) => a - b)).toEqual(all.filter((page) => badOnes.has(page)));
        expect(deaths).toBeLessThanOrEqual(2 * badOnes.size);
      }),
    );
  });

  it('a page that is broken by itself is not read again', () => {
    expect(remainderOf({ from: 1, to: 5 }, 2, false)).toEqual({
      failed: 3,
      spans: [
        { from: 4, to: 4 },
        { from: 5, to: 5 },
      ],
    });
  });

  it('a program that fails behind its last page costs no page', () => {
    expect(remainderOf({ from: 1, to: 5 }, 5, true)).toEqual({ failed: null, spans: [] });
  });

  it('batches cover every page once', () => {
    expect([...planBatches(1, 120)]).toEqual([
      { from: 1, to: 50 },
      { from: 51, to: 100 },
      { from: 101, to: 120 },
    ]);
    expect([...planBatches(1, 0)]).toEqual([]);
  });
});
