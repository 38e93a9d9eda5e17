import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Signals } from '../../../src/domain/extraction/answer.js';
import { CLAIMS, type Claim, type ConfidenceWeights } from '../../../src/domain/extraction/confidence/confidence-of.js';
import type { ExtractedField } from '../../../src/domain/extraction/result/extraction-result.js';
import { fieldOf, type BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';

const FILE = fileURLToPath(
  new URL('../../../src/domain/extraction/confidence/confidence-weights.ts', import.meta.url),
);
const MEMBERS = ['bias', 'read', 'find', 'fit', 'agree', 'ground'] as const;
/** Where weights begin, and to which they are held. */
const START: ConfidenceWeights = { bias: -3, read: 1, find: 3, fit: 1, agree: 1, ground: 1 };
const STEPS = 3000;
const RATE = 0.05;
const HOLD = 0.01;

/** A leaf of a result: what speaks for it, and whether it was right. */
export interface Example {
  document: string;
  claim: Claim;
  signals: Signals;
  right: boolean;
}

export function examplesOf(name: string, one: BenchedDocument): Example[] {
  return one.judgement.leaves.flatMap((leaf) => {
    const field = fieldOf(one, leaf);
    if (field === null) return [];
    const claim = claimOf(field, leaf.got === null);
    return [{ document: `${name}/${one.document.name}`, claim, signals: field.signals, right: leaf.right }];
  });
}

export function claimOf({ raw, citations }: ExtractedField, isAbsent: boolean): Claim {
  if (isAbsent) return 'absent';
  return raw === null || citations.some(({ match }) => match === 'inferred') ? 'inferred' : 'value';
}

/**
 * Weights by which confidence is the share that is right: a logistic model for each claim, held to where it began. A signal never speaks against an
 * answer. A document of many leaves weighs as their square root.
 */
export function fitConfidence(examples: readonly Example[]): Record<Claim, ConfidenceWeights> {
  return Object.fromEntries(
    CLAIMS.map((claim) => [claim, fitClaim(examples.filter((one) => one.claim === claim))]),
  ) as Record<Claim, ConfidenceWeights>;
}

function fitClaim(examples: readonly Example[]): ConfidenceWeights {
  const sizes = new Map<string, number>();
  for (const { document } of examples) sizes.set(document, (sizes.get(document) ?? 0) + 1);
  const rows = examples.map(({ document, signals, right }) => ({
    weight: 1 / Math.sqrt(sizes.get(document) ?? 1),
    values: MEMBERS.map((member) => (member === 'bias' ? 1 : signals[member])),
    right: Number(right),
  }));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const weights = MEMBERS.map((member) => START[member]);
  const speeds = MEMBERS.map(() => 0);
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = weights.map((weight, at) => HOLD * (weight - START[MEMBERS[at] ?? 'bias']));
    for (const { weight, values, right } of rows) {
      const log = values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
      const apart = ((1 / (1 + Math.exp(-log)) - right) * weight) / total;
      for (const [at, value] of values.entries()) slopes[at] = (slopes[at] ?? 0) + apart * value;
    }
    for (const at of weights.keys()) {
      speeds[at] = 0.9 * (speeds[at] ?? 0) + RATE * (slopes[at] ?? 0);
      const moved = (weights[at] ?? 0) - (speeds[at] ?? 0);
      weights[at] = MEMBERS[at] === 'bias' ? moved : Math.max(0, moved);
    }
  }
  return Object.fromEntries(
    MEMBERS.map((member, at) => [member, Number((weights[at] ?? 0).toFixed(3))]),
  ) as ConfidenceWeights;
}

/** Writes the weights as the sources have them. */
export function writeConfidence(weights: Readonly<Record<Claim, ConfidenceWeights>>): void {
  const claims = CLAIMS.map((claim) => {
    const members = MEMBERS.map((member) => `${member}: ${weights[claim][member]}`).join(', ');
    return `  ${claim}: { ${members} },`;
  });
  const text = [
    "import type { Claim, ConfidenceWeights } from './confidence-of.js';",
    '',
    '/** Made by documents/test/bench/extraction/measure.mjs --fit-confidence; not written by hand. */',
    'export const CONFIDENCE_WEIGHTS: Readonly<Record<Claim, ConfidenceWeights>> = {',
    ...claims,
    '};',
    '',
  ].join('\n');
  writeFileSync(FILE, text);
}
