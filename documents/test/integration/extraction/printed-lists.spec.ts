import { afterAll, describe, expect, it } from '@jest/globals';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import { type ListScore, scoreList } from '../../support/extraction/list-score.js';
import { DAMAGES, LAYOUTS, type ListPlan } from '../../support/extraction/printed-list.js';

/** `npm run test:nightly` prints a thousand lists, and twenty over 120 pages each. */
const ALL = process.env['TEST_PRINTED_LISTS'] === 'all';
const LISTS = ALL ? 1000 : 16;
const LONG = ALL ? { lists: 20, rows: 5000 } : { lists: 4, rows: 600 };
const HOURS = 3 * 3_600_000;

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

/** Lists of 40 to 400 rows in all layouts, every other one damaged, in each way as often as in the others. */
function planOf(seed: number): ListPlan {
  return {
    layout: LAYOUTS[Math.floor(seed / 8) % LAYOUTS.length] ?? 'ruled',
    rows: 40 + ((seed * 7919) % 361),
    seed,
    damage: seed % 2 === 0 ? null : (DAMAGES[Math.floor(seed / 2) % DAMAGES.length] ?? null),
  };
}

/** Every layout also where few lists are printed. */
function seeds(): number[] {
  return Array.from({ length: LISTS }, (_, at) => (ALL ? at : (at % 4) * 8 + Math.floor(at / 4) * 2 + (at % 2) + 64));
}

describe('a printed list', () => {
  it(
    'is complete where all of it could be read, and never where rows of it are missing',
    async () => {
      const scores: ListScore[] = [];
      for (const seed of seeds()) scores.push(await scoreList(planOf(seed), folder));
      const whole = scores.filter(({ damage }) => damage === null);
      const short = scores.filter(({ right, rows }) => right < rows);
      expect(short.filter(({ complete }) => complete)).toEqual([]);
      const kept = whole.filter(({ complete, right, rows }) => complete && right === rows);
      expect(kept.length).toBeGreaterThanOrEqual(whole.length * 0.95);
    },
    HOURS,
  );

  it(
    'over many pages has all of its rows',
    async () => {
      const scores: ListScore[] = [];
      for (let seed = 1; seed <= LONG.lists; seed++) {
        const layout = LAYOUTS[seed % LAYOUTS.length] ?? 'ruled';
        scores.push(await scoreList({ layout, rows: LONG.rows, seed, damage: null }, folder));
      }
      const kept = scores.filter(({ complete, right, rows }) => complete && right >= rows * 0.999);
      expect(kept.length).toBeGreaterThanOrEqual(LONG.lists * 0.9);
      expect(scores.filter(({ complete, right, rows }) => complete && right < rows * 0.999)).toEqual([]);
    },
    HOURS,
  );
});
