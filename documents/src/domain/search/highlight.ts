import type { Box, Line, Word } from '../page-model.js';

/** A stretch of a page's text, `to` exclusive. */
interface Stretch {
  from: number;
  to: number;
}

/** Words between two hits that belong to one box with them. */
const GAP = 2;
/** No box says where something is that covers more of the page than this. */
const LARGEST = 0.25;

/**
 * Where stretches of a page's text stand: for each line that has some of them one box around those near each other. Where no word is
 * known to stand in a stretch there is none.
 */
export function boxesOf(stretches: readonly Stretch[], words: readonly Word[], lines: readonly Line[]): Box[] {
  const isHit = (word: Word): boolean => stretches.some(({ from, to }) => word.from < to && word.to > from);
  const hits = words.flatMap((word, index) => (isHit(word) ? [index] : []));
  const lineOf = (index: number): number => lines.findIndex(({ first, last }) => index >= first && index <= last);
  const groups: number[][] = [];
  for (const index of hits) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group === undefined || before === undefined || index - before > GAP || lineOf(index) !== lineOf(before))
      groups.push([index]);
    else group.push(index);
  }
  return groups.flatMap((group) => unite(words.slice(group[0], (group.at(-1) ?? 0) + 1)));
}

/** One box around words; each by itself where that would say nothing. */
function unite(words: readonly Word[]): Box[] {
  const united = around(words.map(({ box }) => box));
  if (isTelling(united)) return [united];
  return words.map(({ box }) => box).filter(isTelling);
}

const isTelling = ([, , width, height]: Box): boolean => width * height <= LARGEST;

function around(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map(([x]) => x));
  const top = Math.min(...boxes.map(([, y]) => y));
  const right = Math.max(...boxes.map(([x, , width]) => x + width));
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height));
  return [left, top, right - left, bottom - top];
}
