import type { Box, TableCell, Word } from '../page-model.js';
import type { TextRange } from './chunk-page.js';

type PlacedWord = Pick<Word, 'from' | 'to' | 'box' | 'cell'>;

/** Where the words of a page stand in its text, by the cells that they are in. */
export class PageWords {
  private readonly words: PlacedWord[] = [];
  private readonly ofCell = new Map<string, TextRange>();

  constructor(words: readonly PlacedWord[]) {
    for (const { from, to, box, cell } of words) {
      if (cell === undefined) this.words.push({ from, to, box });
      else this.ofCell.set(cell, around(this.ofCell.get(cell), { from, to }));
    }
  }

  /** What stands in other cells than these, as stretches of the page's text: a title, a note, a list of one column. */
  outside(cells: ReadonlySet<string>): TextRange[] {
    const stretches: TextRange[] = [];
    for (const [cell, { from, to }] of this.ofCell) {
      if (cells.has(cell)) continue;
      const last = stretches.at(-1);
      if (last !== undefined && from - last.to <= 1) last.to = to;
      else stretches.push({ from, to });
    }
    return stretches;
  }

  /** From the first to the last word that stands in one of the cells; empty where none does. */
  placeOf(cells: readonly TableCell[]): TextRange {
    const addresses = cells.flatMap(({ cell }) => (cell === undefined ? [] : [cell]));
    const box = surround(cells);
    const inside =
      addresses.length > 0
        ? addresses.flatMap((address) => this.ofCell.get(address) ?? [])
        : this.words.filter((word) => hasMiddle(box, word.box));
    return inside.reduce<TextRange | undefined>(around, undefined) ?? { from: 0, to: 0 };
  }
}

function around(known: TextRange | undefined, { from, to }: TextRange): TextRange {
  return { from: Math.min(known?.from ?? from, from), to: Math.max(known?.to ?? to, to) };
}

function surround(cells: readonly TableCell[]): Box {
  let [left, top, right, bottom] = [1, 1, 0, 0];
  for (const { box } of cells) {
    const [x, y, width, height] = box;
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + width), Math.max(bottom, y + height)];
  }
  return [left, top, right - left, bottom - top];
}

function hasMiddle([left, top, width, height]: Box, [x, y, w, h]: Box): boolean {
  const [middleX, middleY] = [x + w / 2, y + h / 2];
  return middleX >= left && middleX <= left + width && middleY >= top && middleY <= top + height;
}
