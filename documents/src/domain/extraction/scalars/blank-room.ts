import type { LeafTarget } from '../compile/target.js';
import { findLabels, type LabelHit } from './find-labels.js';
import type { PartOfDocument } from './part-of-document.js';
import type { TextBlock } from './text-block.js';

/** Weight of a label from which on it surely names the value. */
const SURE = 0.6;
/** Dots or lines to write on. */
const FILL = /_{3,}|\.{4,}|…{2,}|(?:\. ){4,}|(?:_ ){3,}/u;
const ENDS_IN_ROOM = /[_.…]{3,}\s*$/u;
/** Right behind a label, marks and units between them. */
const FILLED_BEHIND =
  /^[^\p{L}\p{N}_.…]*(?:\([^()]{1,20}\))?[^\p{L}\p{N}_.…]*(?:_{3,}|\.{4,}|…{2,}|(?:\. ){4,}|(?:_ ){3,})/u;
/** A ruled line to write on is no shorter, as a share of the page. */
const SHORTEST_LINE = 0.06;

/** Whether a text is, or has, room that is left for something to be written: dots, lines, or boxes to tick. */
export function hasBlankRoom(text: string): boolean {
  return FILL.test(text) || /\[\s?\]/u.test(text);
}

/** Whether a document has a label of a value, and beside those that name it best nothing but the room for it: an unfilled form. */
export function isLeftBlank(target: LeafTarget, part: PartOfDocument): boolean {
  const hits = findLabels(target, part.index, (block) => part.holds(block)).filter(
    ({ label, isFirst, isRival, foreign, block, from }) =>
      label.weight >= SURE &&
      (isFirst || ENDS_IN_ROOM.test(block.text.slice(0, from))) &&
      !isRival &&
      foreign === 0 &&
      block.ranges.length === 1,
  );
  const best = Math.max(...hits.map(({ label }) => label.weight));
  const named = hits.filter(({ label }) => label.weight === best);
  return named.length > 0 && named.every((hit) => isBlank(hit, part));
}

function isBlank({ block, to }: LabelHit, part: PartOfDocument): boolean {
  const rest = block.text.slice(to);
  const [right] = part.index.neighbours.rightOf(block);
  const isRightBlank = right === undefined || isRoomAlone(right.text) || isNextLabel(right.text);
  if (FILLED_BEHIND.test(rest)) return isRoomAlone(rest) ? isRightBlank : isNextLabel(rest);
  if (/[\p{L}\p{N}]/u.test(rest.replace(/\([^()]{1,20}\)/u, ''))) return false;
  if (right !== undefined) return isRoomAlone(right.text);
  return hasEmptyField(block, part) || hasEmptyLine(block, part);
}

/** Nothing but room. */
function isRoomAlone(text: string): boolean {
  return FILL.test(text) && !/[\p{L}\p{N}]/u.test(text.replace(/\([^()]{1,20}\)/u, ''));
}

/** Room behind which the next label has its own. */
function isNextLabel(text: string): boolean {
  return /\p{L}[\p{L}\s]{0,40}(?::|_{3,}|\.{4,})\s*(?:_{3,}|\.{4,})?[\s_.]*$/u.test(text);
}

/** A field of a form to the right of a label, or right below it, without a value. */
function hasEmptyField(block: TextBlock, { reading }: PartOfDocument): boolean {
  const [x, y, width, height] = block.box;
  return reading.page(block.pageNumber).fields.some(({ value, box: [left, top, wide, high] }) => {
    const isBeside = left + wide > x + width && top < y + height && top + high > y;
    const isBelow = left < x + width && left + wide > x && top >= y && top - y < height * 3;
    return (value === null || value.trim() === '') && (isBeside || isBelow);
  });
}

/** A ruled line, or the edge of a box, that begins right of a label at about its height. */
function hasEmptyLine(block: TextBlock, { reading }: PartOfDocument): boolean {
  const [x, y, width, height] = block.box;
  return reading
    .page(block.pageNumber)
    .rules.some(
      ({ x1, x2, y1, y2 }) =>
        y1 === y2 && x1 >= x + width - 0.01 && x2 - x1 >= SHORTEST_LINE && y1 > y - height && y1 < y + height * 2,
    );
}
