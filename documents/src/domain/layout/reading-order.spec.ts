import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Box } from '../page-model.js';
import { assembleText } from './assemble-text.js';
import type { TextRun } from './text-run.js';

const WIDTH = 600;
const HEIGHT = 800;
const PROSE = 'the quick brown fox jumps over the lazy dog while seven wizards brew potions of great renown'.split(' ');

/** A run of text, ten units high, whose words take six units for each letter. */
function run(text: string, x: number, y: number, upright = true): TextRun {
  let left = x;
  const words = text.split(' ').map((word) => {
    const box: Box = [left, y, word.length * 6, 10];
    left += word.length * 6 + 3;
    return { text: word, box, source: 'text_layer' as const, confidence: 0.99 };
  });
  return { box: [x, y, left - 3 - x, 10], words, upright };
}

const prose = (from: number, x: number, y: number): TextRun =>
  run(Array.from({ length: 8 }, (_, index) => PROSE[(from + index) % PROSE.length]).join(' '), x, y);

const textOf = (runs: readonly TextRun[]): string[] => assembleText(runs, WIDTH, HEIGHT).text.split('\n');

describe('reading order', () => {
  it('columns of prose are read one after the other, a heading over both before them', () => {
    const left = Array.from({ length: 12 }, (_, row) => prose(row, 20, 60 + row * 14));
    const right = Array.from({ length: 12 }, (_, row) => prose(row + 3, 320, 62 + row * 14));
    const heading = run('A heading that stands over the two columns of this page and says what they are about', 30, 30);
    const lines = textOf([...right, ...left, heading]);
    expect(lines[0]).toBe(heading.words.map((word) => word.text).join(' '));
    expect(lines.slice(1, 13)).toEqual(left.flatMap((one) => textOf([one])));
    expect(lines.slice(13)).toEqual(right.flatMap((one) => textOf([one])));
  });

  it('a heading amid the columns ends what stands above it', () => {
    const block = (y: number) =>
      [0, 1, 2, 3, 4, 5].flatMap((row) => [prose(row, 20, y + row * 14), prose(row + 5, 320, y + row * 14)]);
    const middle = run('Another heading that goes over both of the columns amid the page of two columns each', 30, 200);
    const lines = textOf([...block(60), middle, ...block(240)]);
    expect(lines.indexOf(textOf([middle])[0] ?? '')).toBe(12);
  });

  it('the cells of a row of a table are one line', () => {
    const rows = Array.from({ length: 10 }, (_, row) => [
      run(`Item ${String(row)}`, 20, 40 + row * 20),
      run(`${String(row)}.00`, 300, 40 + row * 20),
      run('12,345.67', 450, 40 + row * 20),
    ]);
    expect(textOf(rows.flat().reverse())).toEqual(
      rows.map((_, index) => `Item ${String(index)} ${String(index)}.00 12,345.67`),
    );
  });

  it('a footnote mark stays on its line, and text that stands on its side comes last', () => {
    const mark: TextRun = {
      ...run('1', 100, 38),
      box: [100, 38, 4, 6],
      words: [{ ...run('1', 100, 38).words[0]!, box: [100, 38, 4, 6] }],
    };
    const lines = textOf([run('sideways', 5, 10, false), mark, run('A claim', 20, 40), run('goes on', 120, 40)]);
    expect(lines).toEqual(['A claim 1 goes on', 'sideways']);
  });

  it('the same words give the same page in whatever order they come, and each stands once where it says', () => {
    const placed = fc.record({
      text: fc.string({ unit: fc.constantFrom('a', 'é', '7', 'x', '漢', '😀'), minLength: 1, maxLength: 8 }),
      x: fc.integer({ min: -20, max: WIDTH }),
      y: fc.integer({ min: 0, max: HEIGHT / 10 }).map((row) => row * 10),
      upright: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 80 }), fc.infiniteStream(fc.nat()), (items, keys) => {
        const runs = items.map(({ text, x, y, upright }) => run(text, x, y, upright));
        const shuffled = runs.map((one) => ({ one, key: keys.next().value as number })).sort((a, b) => a.key - b.key);
        const page = assembleText(runs, WIDTH, HEIGHT);
        expect(
          assembleText(
            shuffled.map(({ one }) => one),
            WIDTH,
            HEIGHT,
          ),
        ).toEqual(page);
        expect(page.words).toHaveLength(items.length);
        for (const word of page.words) {
          expect(page.text.slice(word.from, word.to)).toBe(word.text);
          for (const side of word.box) expect(side).toBeGreaterThanOrEqual(0);
          expect(word.box[0] + word.box[2]).toBeLessThanOrEqual(1.00001);
        }
        expect(
          page.lines.flatMap((line) => Array.from({ length: line.last - line.first + 1 }, (_, at) => line.first + at)),
        ).toEqual(page.words.map((_, index) => index));
      }),
    );
  });
});
