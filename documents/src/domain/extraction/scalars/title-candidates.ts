import type { LeafTarget } from '../compile/target.js';
import { candidateOfBlocks, type Candidate } from './candidate.js';
import type { PartOfDocument } from './part-of-document.js';
import type { TextBlock } from './text-block.js';

/** Lines that a title has at most, and blocks of the first page among which it is looked for. */
const MOST_LINES = 4;
const MOST_BLOCKS = 40;
/** Lines of one title have nearly the same height, and so little between them. */
const SAME_HEIGHT = 0.18;
const NEAR = 1.2;

/** Titles over several lines: blocks of the same size under each other that stand out. */
export function titleCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const all = part.blocks.filter(({ pageNumber }) => pageNumber === part.firstPage).slice(0, MOST_BLOCKS);
  const blocks = withoutRunningHeads(all, part);
  return blocks.flatMap((block, at) => {
    const above = blocks[at - 1];
    if (!isText(block) || (above !== undefined && goesOn(above, block))) return [];
    const lines = [block];
    for (const next of blocks.slice(at + 1, at + MOST_LINES)) {
      const last = lines.at(-1);
      if (last === undefined || !goesOn(last, next)) break;
      lines.push(next);
    }
    const text = lines.map((line) => line.text).join(' ');
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    const features = {
      ...part.standing(block),
      early: 1 / (1 + at),
      lone: 1,
      long: Math.min(1, text.length / 120),
      letters: letters / Math.max(1, text.replaceAll(/\s/gu, '').length),
    };
    const parts = lines.map((line) => ({ block: line, from: 0, to: line.text.length }));
    return candidateOfBlocks(target, parts, { normalizedBy: 'passage', foundBy: 'place', features }) ?? [];
  });
}

/** At the head of a page; and so much larger than what runs there is a title. */
const HEAD = 0.08;
const LARGER = 1.2;

/** What stands at the head of other pages too runs over all of them: it is no title where something else stands out. */
function withoutRunningHeads(blocks: readonly TextBlock[], part: PartOfDocument): readonly TextBlock[] {
  const isRunning = (block: TextBlock): boolean => {
    const standsOut = (other: TextBlock): boolean =>
      other.lineHeight >= block.lineHeight * LARGER || (other.isBold && !block.isBold);
    if (block.box[1] >= HEAD || !blocks.some(standsOut)) return false;
    return part.blocks.some(
      ({ pageNumber, box, text }) => pageNumber > block.pageNumber && box[1] < HEAD && text === block.text,
    );
  };
  return blocks.filter((block) => !isRunning(block));
}

function isText({ text, ranges }: TextBlock): boolean {
  return ranges.length <= MOST_LINES && text.length >= 4 && text.length <= 250 && /\p{L}{2}/u.test(text);
}

function goesOn(above: TextBlock, below: TextBlock): boolean {
  const gap = below.box[1] - above.box[1] - above.box[3];
  const isSame = Math.abs(below.lineHeight / Math.max(above.lineHeight, 1e-6) - 1) <= SAME_HEIGHT;
  const isUnder = below.box[0] < above.box[0] + above.box[2] && above.box[0] < below.box[0] + below.box[2];
  return (
    isSame &&
    isUnder &&
    above.isBold === below.isBold &&
    gap > -above.lineHeight * 0.5 &&
    gap <= above.lineHeight * NEAR
  );
}
