import { readFileSync } from 'node:fs';
import type { Reading } from '../../domain/extraction/model/reading.js';
import type { BoundingBox, Citation } from '../../domain/extraction/model/extraction-result.js';

/** From this overlap on two boxes are the same. */
const SAME = 0.5;

/** The box of a printed line, as a share of its page. */
interface LineBox {
  box: BoundingBox;
  letters: string;
}

/** Lines of a picture of one page, from rows of `x1,y1,…,x4,y4,text` in pixels. */
export function lineBoxesOf(file: string, reading: Reading): LineBox[] {
  const page = reading.page(1);
  return readFileSync(file, 'utf8')
    .split(/\r?\n/u)
    .flatMap((line) => {
      const [, corners, text = ''] = /^((?:\d+,){8})(.*)$/u.exec(line) ?? [];
      if (corners === undefined) return [];
      const numbers = corners.slice(0, -1).split(',').map(Number);
      const [xs, ys] = [numbers.filter((_, at) => at % 2 === 0), numbers.filter((_, at) => at % 2 === 1)];
      const [left, top] = [Math.min(...xs) / page.width, Math.min(...ys) / page.height];
      const box = {
        x: left,
        y: top,
        width: Math.max(...xs) / page.width - left,
        height: Math.max(...ys) / page.height - top,
      };
      return [{ box, letters: lettersOf(text) }];
    });
}

/** Whether each box of a value is that of a line which says it. */
export function isOnItsLines(citations: readonly Citation[], lines: readonly LineBox[]): boolean {
  const cited = citations.flatMap(({ boundingBoxes, excerpt }) => {
    const pieces = excerpt.split('\n');
    return boundingBoxes.map((box, at) => ({ box, letters: lettersOf(pieces[at] ?? '') }));
  });
  return (
    cited.length > 0 &&
    cited.every(({ box, letters }) =>
      lines.some((line) => isSameText(line.letters, letters) && overlapOf(line.box, box) >= SAME),
    )
  );
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
const isSameText = (one: string, other: string): boolean => one.includes(other) || other.includes(one);

function overlapOf(one: BoundingBox, other: BoundingBox): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  if (width <= 0 || height <= 0) return 0;
  const common = width * height;
  return common / (one.width * one.height + other.width * other.height - common);
}
