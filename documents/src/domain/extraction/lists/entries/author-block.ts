import type { Reading } from '../../model/reading.js';
import { segmentsOf, type Segment } from '../series/column-header.js';

/** A line of the block below a title, in the parts that stand apart. */
export interface BlockLine {
  top: number;
  segments: Segment[];
}

const BLOCK_ENDS = /^(?:\d\.?\s+)?(?:abstract|introduction|key\s?words|index terms|summary|contents)\b/iu;
/** Lines at the beginning of a document among which its title is. */
const FIRST = 25;
const MOST_LINES = 30;
const PROSE = 14;

/** The lines between the title of a paper and its abstract, from above; none where there is no abstract below. */
export function authorBlockOf(reading: Reading): BlockLine[] {
  const [page] = reading.pages;
  if (page === undefined) return [];
  const lines = reading.lines.filter(({ pageNumber }) => pageNumber === page.pageNumber);
  const title = titleEnd(
    lines.slice(0, FIRST).map((line) => ({ size: reading.wordsOf(line)[0]?.fontSize ?? 0, box: line.box })),
  );
  const end = lines.find(({ text, box }) => box[1] > title && BLOCK_ENDS.test(text));
  if (end === undefined) return [];
  const within = lines.filter(({ box }) => box[1] > title && box[1] < end.box[1] - 0.002);
  const inOrder = [...within].sort((one, other) => one.box[1] - other.box[1]).slice(0, MOST_LINES);
  if (inOrder.some(({ text }) => text.split(' ').length > PROSE && text.endsWith('.'))) return [];
  return inOrder.map((line) => ({ top: line.box[1], segments: segmentsOf(line, reading) }));
}

/** Below the largest lines at the beginning. */
function titleEnd(lines: readonly { size: number; box: readonly number[] }[]): number {
  const largest = Math.max(...lines.map(({ size }) => size), 0);
  return Math.max(...lines.filter(({ size }) => size > largest - 0.5).map(({ box }) => box[1] ?? 0), 0);
}
