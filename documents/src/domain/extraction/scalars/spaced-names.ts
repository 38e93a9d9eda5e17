import { findCompanies } from '../values/company-names.js';
import type { PartOfDocument } from './part-of-document.js';
import { joinBlocks, type TextBlock } from './text-block.js';

/** Words of a heading stand no further apart, in heights of its line. */
const WIDEST_GAP = 5;

/** Names of companies whose words are set so far apart that each is a block of its own, as in headings of receipts. */
export function spacedCompanies(
  blocks: readonly TextBlock[],
  part: PartOfDocument,
): { block: TextBlock; from: number; to: number }[] {
  return spacedLines(blocks, part).flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return [];
    const block = joinBlocks(first, others);
    return findCompanies(block.text)
      .filter(({ from, to }) => from < first.text.length && to > first.text.length)
      .map((span) => ({ block, ...span }));
  });
}

/** Blocks that stand near each other on one line; those of one block are left out. */
function spacedLines(blocks: readonly TextBlock[], part: PartOfDocument): TextBlock[][] {
  const lines: TextBlock[][] = [];
  for (const block of blocks) {
    const line = lines.at(-1);
    const last = line?.at(-1);
    if (line !== undefined && last !== undefined && isBeside(last, block, part)) line.push(block);
    else lines.push([block]);
  }
  return lines.filter(({ length }) => length > 1);
}

function isBeside(left: TextBlock, right: TextBlock, { reading }: PartOfDocument): boolean {
  if (left.pageNumber !== right.pageNumber || left.firstLine !== right.firstLine || left.ranges.length > 1)
    return false;
  const { width, height } = reading.page(left.pageNumber);
  const gap = (right.box[0] - left.box[0] - left.box[2]) * width;
  return gap <= Math.max(left.lineHeight, right.lineHeight) * height * WIDEST_GAP;
}
