import type { ScalarAnswer } from '../model/answer.js';
import type { LeafTarget } from '../compile/target.js';
import type { Reading, Scope } from '../model/reading.js';
import { addressCandidates } from './address-candidates.js';
import { assign, type Ranking } from './assign.js';
import { isLeftBlank } from './blank-room.js';
import type { Candidate } from './candidate.js';
import { choiceCandidates, truthCandidates } from './choice-candidates.js';
import { reconcile } from './consistency.js';
import { familyOf } from './features.js';
import { PartOfDocument } from './part-of-document.js';
import { passageCandidates } from './passage-candidates.js';
import { type AllWeights, ranked } from './score.js';
import { signalsOf, signalsOfNone } from './signals.js';
import { textCandidates } from './text-candidates.js';
import { titleCandidates } from './title-candidates.js';
import { typedCandidates } from './typed-candidates.js';

/** The values of one object in a part of a document, decided together: no two of them from the same words, where another place will do. */
export function findScalars(
  targets: readonly LeafTarget[],
  scope: Scope,
  reading: Reading,
  weights?: AllWeights,
): Map<LeafTarget, ScalarAnswer> {
  const part = new PartOfDocument(reading, scope);
  const rankings = targets.map((target) => rankingOf(target, part, weights));
  const assigned = assign(rankings);
  const agreement = reconcile(rankings, assigned);
  return new Map(
    rankings.map((ranking) => {
      const { target } = ranking;
      const chosen = assigned.get(target) ?? null;
      return [target, answerOf(ranking, chosen, agreement.get(target), part)];
    }),
  );
}

/** All that may be meant by a leaf, the likeliest first. */
export function rankingOf(target: LeafTarget, part: PartOfDocument, weights?: AllWeights): Ranking {
  return { target, candidates: ranked(target, candidatesOf(target, part), weights) };
}

function candidatesOf(target: LeafTarget, part: PartOfDocument): Candidate[] {
  if (target.role === 'page-count' || isLeftBlank(target, part)) return [];
  switch (familyOf(target)) {
    case 'choice':
      return choiceCandidates(target, part);
    case 'truth':
      return truthCandidates(target, part);
    case 'title':
      return [...titleCandidates(target, part), ...textCandidates(target, part)];
    case 'address':
      return addressCandidates(target, part);
    case 'passage':
      return passageCandidates(target, part);
    case 'line':
    case 'company':
    case 'person':
    case 'place':
      return textCandidates(target, part);
    default:
      return typedCandidates(target, part);
  }
}

function answerOf(
  { target, candidates }: Ranking,
  chosen: Candidate | null,
  agreement: number | undefined,
  part: PartOfDocument,
): ScalarAnswer {
  const { reading } = part;
  if (target.role === 'page-count') {
    return pageCountOf(reading);
  }
  if (chosen === null) {
    return { kind: 'scalar', value: null, evidence: null, signals: signalsOfNone(candidates, readOf(part)) };
  }
  const { value, raw, normalizedBy, at, foundBy } = chosen;
  const [range] = at;
  const source = range === undefined ? 'text_layer' : (reading.wordsOf(range)[0]?.source ?? 'text_layer');
  const match = raw === value ? 'exact' : 'normalized';
  return {
    ...{ kind: 'scalar', value, evidence: { raw, normalizedBy, at, match, source, foundBy } },
    signals: signalsOf(target, chosen, candidates, agreement, reading),
  };
}

/** How many pages there are is printed nowhere: the last one that was read is what shows it. */
function pageCountOf(reading: Reading): ScalarAnswer {
  const signals = { read: 0.99, find: 0.9, fit: 1, agree: 0.5, ground: 0.2 };
  const [line] = reading.lines.slice(-1);
  if (line === undefined) return { kind: 'scalar', value: reading.pageCount, evidence: null, signals };
  const { pageNumber, first } = line;
  const at = [{ pageNumber, first, last: first }];
  const [word] = reading.wordsOf({ pageNumber, first, last: first });
  const evidence = {
    raw: word?.text ?? '',
    normalizedBy: 'verbatim',
    at,
    match: 'inferred',
    source: word?.source ?? 'text_layer',
    foundBy: 'number of pages',
  } as const;
  return { kind: 'scalar', value: reading.pageCount, evidence, signals };
}

/** How surely the pages of a part were read. */
function readOf({ reading, blocks }: PartOfDocument): { confidence: number }[] {
  const numbers = new Set(blocks.map(({ pageNumber }) => pageNumber));
  return reading.pages
    .filter(({ pageNumber }) => numbers.has(pageNumber))
    .map(({ ocrConfidence }) => ({ confidence: ocrConfidence ?? 0.99 }));
}
