import type { LeafTarget } from '../compile/target.js';
import { addressScore, hasPostalCode, isOtherThanAddress } from '../values/address-lines.js';
import { isCompany } from '../values/company-names.js';
import { candidateOfBlocks, type Candidate } from './candidate.js';
import { sayingOfHit } from './find-labels.js';
import { namedPlaces } from './named-place.js';
import type { PartOfDocument } from './part-of-document.js';
import type { TextBlock } from './text-block.js';

const MOST_LINES = 6;
/** A line that looks so much like an address may begin one. */
const BEGINS = 0.35;
const GOES_ON = 0.18;

/** Postal addresses over one line or several. */
export function addressCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const blocks = part.blocks.filter(
    ({ pageNumber }) => pageNumber <= part.firstPage + 1 || pageNumber === part.lastPage,
  );
  const places = namedPlaces(target, part);
  const runs = addressRuns(blocks, part);
  return runs.flatMap((run, at) => {
    const [start] = run;
    if (start === undefined) return [];
    const place = places.find(({ block, relation }) => block === start.block && relation !== 'before');
    const scores = run.map(({ block, from, to }) => addressScore(block.text.slice(from, to)));
    const features = {
      ...part.standing(start.block),
      ...place?.features,
      look: scores.reduce((sum, one) => sum + one, 0) / run.length,
      early: 1 / (1 + at),
      long: Math.min(1, run.length / 4),
      ...(run.some(({ block }) => hasPostalCode(block.text)) ? { largest: 1 } : {}),
    };
    const foundBy = place === undefined ? 'place' : sayingOfHit(place.hit);
    return candidateOfBlocks(target, run, { normalizedBy: 'verbatim', foundBy, features }) ?? [];
  });
}

interface Piece {
  block: TextBlock;
  from: number;
  to: number;
}

function addressRuns(blocks: readonly TextBlock[], part: PartOfDocument): Piece[][] {
  const runs: Piece[][] = [];
  const used = new Set<TextBlock>();
  for (const block of blocks) {
    if (used.has(block)) continue;
    const first = pieceOf(block);
    if (first === null || !begins(first)) continue;
    const run = [first];
    for (let last = block; run.length < MOST_LINES;) {
      const next = nextLine(last, part);
      const piece = next === null || used.has(next) ? null : pieceOf(next);
      if (piece === null || !goesOn(run, piece)) break;
      run.push(piece);
      last = piece.block;
    }
    for (const piece of run) used.add(piece.block);
    runs.push(run);
  }
  return runs;
}

function begins({ block, from, to }: Piece): boolean {
  const text = block.text.slice(from, to);
  return addressScore(text) >= BEGINS && !isCompany(text);
}

/** The part of a block that is an address: behind its label, and behind the company that has it. */
function pieceOf(block: TextBlock): Piece | null {
  if (block.text.length > 200) return null;
  const label = /^(?:[\p{L}\s]{0,20}address|anschrift|adresse|add)\s*[:.]\s*/iu.exec(block.text)?.[0].length ?? 0;
  const parts = block.text.split(/\s[-–—|•]\s/u);
  const lead = parts.length > 1 && isCompany(parts[0] ?? '') ? block.text.indexOf(parts[1] ?? '') : label;
  const text = block.text.slice(lead).trimEnd();
  return text === '' ? null : { block, from: lead, to: lead + text.length };
}

function nextLine(block: TextBlock, part: PartOfDocument): TextBlock | null {
  const below = part.index.neighbours.below(block).find(({ lines }) => lines <= 1.2)?.block;
  return below !== undefined && part.holds(below) ? below : null;
}

function goesOn(run: readonly Piece[], { block, from, to }: Piece): boolean {
  const text = block.text.slice(from, to);
  if (isOtherThanAddress(text) || isCompany(text)) return false;
  const last = run.at(-1);
  const wasOpen = last !== undefined && /,$/u.test(last.block.text.trim());
  const hasPostal = run.some((piece) => hasPostalCode(piece.block.text));
  if (addressScore(text) >= (hasPostal ? BEGINS : GOES_ON)) return true;
  // A city or a country under the street, or under the postal code.
  return (wasOpen || !hasPostal) && /^[\p{L}\s.,()-]{3,40}$/u.test(text) && text.split(/\s+/u).length <= 5;
}
