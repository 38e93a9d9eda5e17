import type { Box } from '../page-model.js';
import { findGutter } from './gutter.js';
import { middle, right, sharedHeight, type TextRun, unionOf } from './text-run.js';

/** A line whose runs share less of their heights than this are two lines. */
const SAME_LINE = 0.5;
/** How many lines back a run may still belong to. */
const LINES_BACK = 4;
const MAX_DEPTH = 6;

/**
 * The lines of a page as a person reads them: columns of prose one after the other, everything else from the top down and each line from
 * the left. Cells of a table in one row are one line. Text that does not stand upright comes last. The same runs give the same lines,
 * in whatever order they came.
 */
export function orderLines(runs: readonly TextRun[]): TextRun[][] {
  const sorted = [...runs].sort(byPlace);
  const upright = sorted.filter((run) => run.upright);
  const others = sorted.filter((run) => !run.upright).map((run) => [run]);
  return [...orderRegion(upright, 0), ...others];
}

/** Runs of one row each, from the top down, each from the left. */
export function groupRows(runs: readonly TextRun[]): TextRun[][] {
  const rows: { main: Box; runs: TextRun[] }[] = [];
  for (const run of [...runs].sort(byPlace)) {
    const row = rows.slice(-LINES_BACK).findLast((candidate) => sharedHeight(candidate.main, run.box) >= SAME_LINE);
    if (row === undefined) rows.push({ main: run.box, runs: [run] });
    else {
      row.runs.push(run);
      // The highest run stands for the line: what is small beside it (a footnote mark) is of the line, and does not stretch it.
      if (run.box[3] > row.main[3] && run.box[3] < 2 * row.main[3]) row.main = run.box;
    }
  }
  return rows.map((row) => row.runs.sort((a, b) => a.box[0] - b.box[0] || byPlace(a, b)));
}

function orderRegion(runs: readonly TextRun[], depth: number): TextRun[][] {
  const rows = groupRows(runs);
  const gutter = depth < MAX_DEPTH ? findGutter(rows) : null;
  if (gutter === null) return rows;
  const lines: TextRun[][] = [];
  let left: TextRun[] = [];
  let beyond: TextRun[] = [];
  const flush = (): void => {
    lines.push(...orderRegion(left, depth + 1), ...orderRegion(beyond, depth + 1));
    left = [];
    beyond = [];
  };
  // A line across both columns (a heading, say) ends what stands above it.
  for (const row of rows) {
    if (row.some((run) => run.box[0] < gutter && right(run.box) > gutter)) {
      flush();
      lines.push(row);
    } else for (const run of row) (run.box[0] >= gutter ? beyond : left).push(run);
  }
  flush();
  return lines;
}

function byPlace(a: TextRun, b: TextRun): number {
  return (
    middle(a.box) - middle(b.box) || a.box[0] - b.box[0] || a.box[2] - b.box[2] || compareTexts(wordsOf(a), wordsOf(b))
  );
}

const wordsOf = (run: TextRun): string => run.words.map((word) => word.text).join(' ');
const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The box around a line. */
export const boxOfRuns = (runs: readonly TextRun[]): Box => unionOf(runs.map((run) => run.box));
