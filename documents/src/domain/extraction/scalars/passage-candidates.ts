import type { LeafTarget } from '../compile/target.js';
import { candidateOfBlocks, type Candidate } from './candidate.js';
import { findLabels, sayingOfHit, type LabelHit } from './find-labels.js';
import type { PartOfDocument } from './part-of-document.js';
import type { TextBlock } from './text-block.js';

/** Characters that a passage has at least and at most. */
const SHORTEST = 30;
const LONGEST = 4000;
const NUMBERED =
  /^(?:(?:section|article|clause|paragraph|§)\s*)?[(]?(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])?[.)]?\s*(?:\([a-z\d]{1,3}\)\s*)?["“”]?\s*$/iu;

/** Passages: what follows a heading on its line or below it, and what a definition says. */
export function passageCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const hits = findLabels(target, part.index, (block) => part.holds(block));
  return hits.flatMap((hit, at) => {
    const pieces = passageAt(hit, part);
    if (pieces === null) return [];
    const length = pieces.parts.reduce((sum, { from, to }) => sum + to - from, 0);
    if (length < SHORTEST || length > LONGEST) return [];
    const features = {
      ...part.standing(hit.block),
      label: hit.label.weight,
      length: Math.min(1, hit.length / 24),
      ...(hit.isMarked ? { marked: 1 } : {}),
      [pieces.relation]: 1,
      foreign: Math.min(1, hit.foreign / 3),
      long: Math.min(1, length / 800),
      early: 1 / (1 + at),
      ...(pieces.isDefinition ? { names: 1 } : {}),
    };
    return (
      candidateOfBlocks(target, pieces.parts, { normalizedBy: 'passage', foundBy: sayingOfHit(hit), features }) ?? []
    );
  });
}

interface Passage {
  parts: { block: TextBlock; from: number; to: number }[];
  relation: 'after' | 'below';
  isDefinition: boolean;
}

function passageAt(hit: LabelHit, part: PartOfDocument): Passage | null {
  const { block, from, to, isFirst } = hit;
  const before = block.text.slice(0, from);
  if (!isFirst && !NUMBERED.test(before)) return null;
  const rest = block.text.slice(to);
  const means = /^["”’]?\s*(?:\([^)]{0,60}\)\s*)?(?:means|shall mean|has the meaning|is defined as)[,:]?\s*/u.exec(
    rest,
  );
  if (means !== null)
    return { parts: goingOn(block, to + means[0].length, part), relation: 'after', isDefinition: true };
  const heading = /^["”’]?\s*(?:[.:]|[-–—]\s)\s*/u.exec(rest);
  if (heading !== null && rest.length > heading[0].length + SHORTEST) {
    return { parts: goingOn(block, to + heading[0].length, part), relation: 'after', isDefinition: false };
  }
  if (rest.replaceAll(/[\s.:\p{N}]/gu, '').length > 25 || block.ranges.length > 1) return null;
  return belowHeading(block, part);
}

/** The rest of a paragraph, and the next one where the page ends in the middle of a sentence. */
function goingOn(block: TextBlock, from: number, part: PartOfDocument): Passage['parts'] {
  const parts = [{ block, from, to: block.text.length }];
  if (/[.;:!?"”)]\s*$/u.test(block.text)) return parts;
  const next = part.blocks.find(
    ({ index, text }) => index > block.index && index <= block.index + 6 && /^[\p{Ll}(]/u.test(text),
  );
  return next === undefined ? parts : [...parts, { block: next, from: 0, to: next.text.length }];
}

/** The blocks under a heading in its column, up to the next heading or a wide gap. */
function belowHeading(heading: TextBlock, part: PartOfDocument): Passage | null {
  const parts: Passage['parts'] = [];
  let last = heading;
  for (const block of part.blocks.slice(placeIn(part, heading) + 1, placeIn(part, heading) + 60)) {
    if (block.pageNumber !== heading.pageNumber) break;
    const gap = (block.box[1] - last.box[1] - last.box[3]) / Math.max(heading.lineHeight, 1e-6);
    if (gap > (parts.length === 0 ? 3 : 1.3) || gap < -1 || !isInColumn(block, heading) || isHeading(block, heading))
      break;
    parts.push({ block, from: 0, to: block.text.length });
    last = block;
  }
  return parts.length === 0 ? null : { parts, relation: 'below', isDefinition: false };
}

function placeIn({ blocks }: PartOfDocument, block: TextBlock): number {
  const [first] = blocks;
  return first === undefined ? 0 : block.index - first.index;
}

function isInColumn(block: TextBlock, heading: TextBlock): boolean {
  const [left, right] = [block.box[0] - 0.02, block.box[0] + block.box[2] + 0.02];
  return heading.box[0] + heading.box[2] > left && heading.box[0] < right;
}

/** Short, and set like the heading before it: bold, larger or in capitals. */
function isHeading(block: TextBlock, heading: TextBlock): boolean {
  if (block.text.length > 60 || block.ranges.length > 1) return false;
  const isCapital = /^[\P{L}\p{Lu}]+$/u.test(block.text);
  return (
    (heading.isBold && block.isBold) ||
    (isCapital && /^[\P{L}\p{Lu}]+$/u.test(heading.text)) ||
    /^\d+(?:\.\d+)*\s+\p{Lu}/u.test(block.text)
  );
}
