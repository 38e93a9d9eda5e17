import type { Box, Page } from '../../page-model.js';
import type { Evidence } from '../model/answer.js';
import type { Reading, WordRange } from '../model/reading.js';
import type { BoundingBox, Citation } from '../model/extraction-result.js';

/** Characters of an excerpt at most. */
const LONGEST = 300;

/** Where a value stands, a citation for each page of it. */
export function citationsOf({ at, match, source }: Evidence, reading: Reading): Citation[] {
  const pages = [...new Set(at.map(({ pageNumber }) => pageNumber))];
  return pages.map((pageNumber) => {
    const page = reading.page(pageNumber);
    const ranges = at.filter((range) => range.pageNumber === pageNumber).flatMap((range) => byLine(range, page));
    return { ...citationOf(ranges, page), match, source };
  });
}

/** A range over the end of a line is one for each line. */
function byLine({ pageNumber, first, last }: WordRange, { lines }: Page): WordRange[] {
  const touched = lines.filter((line) => line.first <= last && line.last >= first);
  if (touched.length < 2) return [{ pageNumber, first, last }];
  return touched.map((line) => ({
    pageNumber,
    first: Math.max(first, line.first),
    last: Math.min(last, line.last),
  }));
}

function citationOf(ranges: readonly WordRange[], page: Page): Omit<Citation, 'match' | 'source'> {
  const words = ranges.flatMap(({ first, last }) => page.words.slice(first, last + 1));
  const from = Math.min(...words.map((word) => word.from));
  const to = Math.max(...words.map((word) => word.to));
  const { pageNumber, label, width, height, unit, rotation, sheetName } = page;
  const cells = [...new Set(words.flatMap(({ cell }) => (cell === undefined ? [] : [cell])))];
  const [firstCell] = cells;
  const lastCell = cells.at(-1);
  return {
    pageNumber,
    ...(label === undefined ? {} : { pageLabel: label }),
    page: { width, height, unit, rotation },
    boundingBoxes: ranges.map(({ first, last }) => unionOf(page.words.slice(first, last + 1).map(({ box }) => box))),
    excerpt: excerptOf(ranges, page),
    charRange: { from, to },
    ...(sheetName === undefined ? {} : { sheetName }),
    ...(firstCell === undefined || lastCell === undefined
      ? {}
      : { cellRange: firstCell === lastCell ? firstCell : `${firstCell}:${lastCell}` }),
  };
}

/** What the ranges say, each verbatim: between the lines of a cell stand the words of the cells beside it. */
function excerptOf(ranges: readonly WordRange[], { words, text }: Page): string {
  const pieces = ranges.map(({ first, last }) => text.slice(words[first]?.from, words[last]?.to));
  return pieces.join('\n').slice(0, LONGEST);
}

function unionOf(boxes: readonly Box[]): BoundingBox {
  const left = Math.min(...boxes.map(([x]) => x));
  const top = Math.min(...boxes.map(([, y]) => y));
  const right = Math.max(...boxes.map(([x, , width]) => x + width));
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}
