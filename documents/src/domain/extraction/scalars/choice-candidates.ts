import { wordsOfLabel } from '../compile/label-words.js';
import type { LeafTarget } from '../compile/target.js';
import { phraseOf, spaced, truthOf } from '../values/phrases.js';
import { candidateOf, type Candidate } from './candidate.js';
import { findLabels, sayingOfHit } from './find-labels.js';
import { namedPlaces, type NamedPlace } from './named-place.js';
import type { PartOfDocument } from './part-of-document.js';

/** Places of one value that are weighed. */
const MOST_PLACES = 40;
const GLYPH = /[☐☑☒□■✓✔✗✘¨❏🗹]|\[\s?[xX✓]?\s?\]|\(\s?[xX]?\s?\)/gu;

/** Values of a closed list where a document says them in words. */
export function choiceCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const values = target.node.rules.flatMap((rule) => rule.values ?? []);
  const places = namedPlaces(target, part);
  return values.flatMap((value) => {
    const [first, ...rest] = wordsOfLabel(spaced(String(value)));
    if (first === undefined) return [];
    const { index } = part;
    const starts = index.placesOf(first).filter((at) => {
      const word = index.words[at];
      const last = index.words[at + rest.length];
      return (
        word !== undefined &&
        part.holds(word.block) &&
        last?.block === word.block &&
        rest.every((one, next) => index.isWord(at + next + 1, one))
      );
    });
    return starts.slice(0, MOST_PLACES).flatMap((at, order) => {
      const [word, last] = [index.words[at], index.words[at + rest.length]];
      if (word === undefined || last === undefined) return [];
      const { block, from } = word;
      const place = places.find((one) => one.block === block && one.from <= from && from < one.to);
      const ticked = tickBefore(block.text, from);
      const features = {
        ...part.standing(block),
        ...place?.features,
        early: 1 / (1 + order),
        repeats: Math.min(1, Math.log2(starts.length) / 3),
        ...(from === 0 && last.to >= block.text.length - 1 ? { lone: 1 } : {}),
        look: ticked === null ? 0.5 : ticked ? 1 : 0,
        long: Math.min(1, (last.to - from) / 20),
      };
      const foundBy = place === undefined ? 'place' : sayingOfHit(place.hit);
      return candidateOf(target, { block, from, to: last.to, normalizedBy: 'choice', foundBy, features }) ?? [];
    });
  });
}

/** Whether the box right before a place is ticked; null without a box. */
function tickBefore(text: string, from: number): boolean | null {
  const before = text.slice(Math.max(0, from - 6), from);
  const glyph = [...before.matchAll(GLYPH)].at(-1);
  if (glyph === undefined || !/^\s*$/u.test(before.slice(glyph.index + glyph[0].length))) return null;
  return truthOf(glyph[0]);
}

/** Yes or no beside a label, a box that is ticked or not, and what a document speaks of by name. */
export function truthCandidates(target: LeafTarget, part: PartOfDocument): Candidate[] {
  const said = namedPlaces(target, part).flatMap((place) => truthAt(place, target, part) ?? []);
  return [...said, ...mentions(target, part)];
}

function truthAt(place: NamedPlace, target: LeafTarget, part: PartOfDocument): Candidate | null {
  const { block, from, to, relation, hit } = place;
  const text = block.text.slice(from, to);
  const span = relation === 'before' ? lastTruth(text) : firstTruth(text);
  if (span === null || (relation === 'before' && block !== hit.block) || isOffered(text.slice(span.to))) return null;
  const features = { ...part.standing(block), ...place.features, look: 1, rank: Math.min(1, span.from / 20) };
  return candidateOf(target, {
    block,
    from: from + span.from,
    to: from + span.to,
    normalizedBy: 'truth',
    foundBy: sayingOfHit(hit),
    features,
  });
}

/** A sign before `yes` or `no` is what may be ticked, and no answer. */
function isOffered(behind: string): boolean {
  return /^\s*(?:yes|no|ja|nein|oui|non|s[ií])\b/iu.test(behind);
}

interface Span {
  from: number;
  to: number;
}

/** The word or box with which a text begins, but for marks. */
function firstTruth(text: string): Span | null {
  const lead = /^[\s:.\-–—?*]*/u.exec(text)?.[0].length ?? 0;
  const match = /^(?:\[\s?[xX✓]?\s?\]|\(\s?[xX]?\s?\)|[☐☑☒□■✓✔✗✘¨❏🗹]|\p{L}{1,5}(?=$|[\s,.;)]))/u.exec(text.slice(lead));
  if (match === null || truthOf(match[0]) === null) return null;
  return { from: lead, to: lead + match[0].length };
}

function lastTruth(text: string): Span | null {
  const glyph = [...text.matchAll(GLYPH)].at(-1);
  if (glyph === undefined || !/^\s*$/u.test(text.slice(glyph.index + glyph[0].length))) return null;
  return { from: glyph.index, to: glyph.index + glyph[0].length };
}

const ASKING =
  /^(?:is|has|was|are|does|did|can|contains?|includes?|requires?|whether)\s|\s(?:is|was|are|been|required|included|present|given|applicable|provided|needed|signed|attached)$/giu;

/** A thing of two words and more that a document names is there, and what requires it says so by naming it. */
function mentions(target: LeafTarget, part: PartOfDocument): Candidate[] {
  if (!/\b(?:whether|if)\b/iu.test(target.description)) return [];
  const name = phraseOf(spaced(target.name)).replace(ASKING, '').replace(ASKING, '').trim();
  const words = name.split(' ');
  if (words.length < 3 && name.length < 16) return [];
  const asked = { ...target, labels: [{ words, weight: 0.9, from: 'name' as const }] };
  return findLabels(asked, part.index, (block) => part.holds(block)).flatMap((hit) => {
    const { block, from, to } = hit;
    const features = { ...part.standing(block), label: 0.9, names: 1, length: Math.min(1, hit.length / 24) };
    return (
      candidateOf(target, { block, from, to, normalizedBy: 'mentioned', foundBy: sayingOfHit(hit), features }) ?? []
    );
  });
}
