import { bottom, median, right, type TextRun, unionOf } from './text-run.js';

/** In how many steps the width of a region is looked at. */
const STEPS = 240;
/** Share of the width at each side where no gutter is looked for. */
const MARGIN = 0.12;
/** Share of the rows that may stretch over a gutter, such as headings. */
const MAY_CROSS = 0.35;
const MIN_ROWS = 4;

/** What a run adds to the row of a column. */
interface RunFacts {
  left: number;
  right: number;
  words: number;
  /** Words with two letters in a row. */
  spoken: number;
}

/**
 * Where two columns of prose stand apart, or null where they do not. Columns of a table are none: their texts are short, numbers, or do
 * not fill their column.
 */
export function findGutter(rows: readonly (readonly TextRun[])[]): number | null {
  const runs = rows.flat();
  if (runs.length < 2 * MIN_ROWS) return null;
  const [left, , width] = unionOf(runs.map((run) => run.box));
  if (width <= 0) return null;
  const gap = median(runs.map((run) => run.box[3])) * 0.8;
  const places = emptiestPlaces(runs, left, width, gap);
  if (places.length === 0) return null;
  const facts = rows.map((row) => row.map(factsOf));
  let best: { at: number; rows: number } | null = null;
  for (const at of places) {
    const prose = Math.min(proseRows(facts, -Infinity, at), proseRows(facts, at, Infinity));
    if (prose < MIN_ROWS || (best !== null && prose <= best.rows)) continue;
    const before = runs.filter((run) => right(run.box) <= at);
    const after = runs.filter((run) => run.box[0] >= at);
    const crossing = runs.length - before.length - after.length;
    if (crossing <= runs.length * MAY_CROSS && standSideBySide(before, after)) best = { at, rows: prose };
  }
  return best?.at ?? null;
}

const factsOf = (run: TextRun): RunFacts => ({
  left: run.box[0],
  right: right(run.box),
  words: run.words.length,
  spoken: run.words.filter((word) => /\p{L}{2}/u.test(word.text)).length,
});

/** The middles of the widest stretches which fewest runs lie over. */
function emptiestPlaces(runs: readonly TextRun[], left: number, width: number, gap: number): number[] {
  const step = width / STEPS;
  const cover = new Array<number>(STEPS + 1).fill(0);
  for (const { box } of runs) {
    const [first, last] = [Math.floor((box[0] - left) / step), Math.ceil((right(box) - left) / step)];
    for (let at = Math.max(0, first); at < Math.min(STEPS, last); at += 1) cover[at] = (cover[at] ?? 0) + 1;
  }
  const [from, to] = [Math.floor(STEPS * MARGIN), Math.ceil(STEPS * (1 - MARGIN))];
  const most = runs.length * MAY_CROSS;
  const places: number[] = [];
  for (let at = from; at < to;) {
    const level = cover[at] ?? 0;
    let end = at + 1;
    while (end < to && cover[end] === level) end += 1;
    const lowest = level < (cover[at - 1] ?? Infinity) && level < (cover[end] ?? Infinity);
    if (level <= most && lowest && (end - at) * step >= gap) places.push(left + ((at + end) / 2) * step);
    at = end;
  }
  return places;
}

/** How many rows of prose stand between two places; 0 when it is no column of prose. */
function proseRows(rows: readonly (readonly RunFacts[])[], from: number, to: number): number {
  const inside = rows
    .map((row) => row.filter((run) => run.left >= from && run.right <= to))
    .filter((row) => row.length > 0);
  let [left, far] = [Infinity, -Infinity];
  for (const run of inside.flat()) {
    left = Math.min(left, run.left);
    far = Math.max(far, run.right);
  }
  const filled = inside.filter((row) => {
    let [words, spoken, width] = [0, 0, 0];
    for (const run of row) {
      words += run.words;
      spoken += run.spoken;
      width += run.right - run.left;
    }
    return words >= 3 && spoken >= words / 2 && width >= (far - left) * 0.55;
  });
  return filled.length >= inside.length / 2 ? filled.length : 0;
}

function standSideBySide(before: readonly TextRun[], after: readonly TextRun[]): boolean {
  const [a, b] = [unionOf(before.map((run) => run.box)), unionOf(after.map((run) => run.box))];
  return Math.min(bottom(a), bottom(b)) - Math.max(a[1], b[1]) >= Math.min(a[3], b[3]) / 2;
}
