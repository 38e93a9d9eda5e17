import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  CLAIMS,
  claimOf,
  termsOf,
  type Claim,
  type ClaimWeights,
  type ConfidenceWeights,
} from '../../../src/domain/extraction/confidence/confidence-of.js';
import type { Signals } from '../../../src/domain/extraction/model/signals.js';
import { fieldOf, type BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';
import { isComparable } from '../../../src/embedded/benchmark/class-report.js';

/** An answer of the gold: what spoke for it, and whether it was right. */
export interface JudgedAnswer {
  document: string;
  claim: Claim;
  signals: Signals;
  right: boolean;
  /** Of a document with thousands of answers each says less than of one with few. */
  weight: number;
}

const FILE = fileURLToPath(new URL('../../../src/domain/extraction/confidence/confidence-weights.ts', import.meta.url));
const NAMES = ['bias', 'odds', 'read', 'find', 'fit', 'agree', 'ground'] as const;
/** Where fitting begins: each signal speaks for an answer. */
const PRIOR: ConfidenceWeights = { bias: -3, odds: 1.5, read: 1, find: 1, fit: 0.7, agree: 0.7, ground: 0.3 };
const MOST_ROUNDS = 80;
/** Steps below this change nothing that is written. */
const NEAR = 1e-4;
const LEAST_BEND = 0.01;
const HOLD = 0.5;

/** The answers of a document, each with what it claims. */
export function judgedAnswers(document: string, benched: BenchedDocument): JudgedAnswer[] {
  const answers = benched.judgement.leaves.flatMap((leaf) => {
    const field = fieldOf(benched, leaf);
    // What the gold has in another shape teaches nothing.
    if (field === null || !isComparable(benched, leaf)) return [];
    return [{ document, claim: claimOf(leaf.got === null, leaf.path), signals: field.signals, right: leaf.right }];
  });
  return answers.map((answer) => ({ ...answer, weight: 1 / Math.sqrt(answers.length) }));
}

/** The weights of confidence by all answers, or by all but those of one document. */
export class ConfidenceFit {
  private readonly rows: ReadonlyMap<Claim, Row[]>;
  private readonly whole: ClaimWeights;

  constructor(answers: readonly JudgedAnswer[]) {
    this.rows = Map.groupBy(answers.map(rowOf), ({ claim }) => claim);
    this.whole = this.fitted(() => true, null);
  }

  /** @param without a document, as `<class>/<name>`, from which nothing is learned */
  weights(without?: string): ClaimWeights {
    return without === undefined ? this.whole : this.fitted(({ document }) => document !== without, this.whole);
  }

  private fitted(isTaken: (row: Row) => boolean, near: ClaimWeights | null): ClaimWeights {
    const fitted = CLAIMS.map((claim) => [claim, fit((this.rows.get(claim) ?? []).filter(isTaken), near?.[claim])]);
    return Object.fromEntries(fitted) as ClaimWeights;
  }
}

/** Writes the weights of confidence into the sources. */
export function writeConfidence(weights: ClaimWeights): void {
  const line = (one: ConfidenceWeights): string =>
    `{ ${NAMES.map((name) => `${name}: ${Number(one[name].toFixed(3))}`).join(', ')} }`;
  const text = [
    '/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */',
    'export const CONFIDENCE_WEIGHTS = {',
    ...CLAIMS.map((claim) => `  ${claim}: ${line(weights[claim])},`),
    '} as const;',
    '',
  ];
  writeFileSync(FILE, text.join('\n'));
}

interface Row {
  document: string;
  claim: Claim;
  right: number;
  weight: number;
  /** In the order of the names. */
  terms: Float64Array;
}

function rowOf({ document, claim, signals, right, weight }: JudgedAnswer): Row {
  const terms = new Map(termsOf(signals));
  return {
    ...{ document, claim, right: Number(right), weight },
    terms: Float64Array.from(NAMES, (name) => terms.get(name) ?? 0),
  };
}

/**
 * Newton's steps, one weight after the other. No signal may speak against what it is for.
 *
 * @param near weights from which it is not far; where it ends does not depend on them
 */
function fit(rows: readonly Row[], near: ConfidenceWeights = PRIOR): ConfidenceWeights {
  const weights = Float64Array.from(NAMES, (name) => near[name]);
  const odds = Float64Array.from(rows, ({ terms }) =>
    terms.reduce((sum, term, at) => sum + term * (weights[at] ?? 0), 0),
  );
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const moved = NAMES.map((name, at) => {
      const weight = weights[at] ?? 0;
      const next = weight - newtonStep(rows, odds, at, weight - PRIOR[name]);
      const step = (name === 'bias' ? next : Math.max(0, next)) - weight;
      weights[at] = weight + step;
      for (const [row, { terms }] of rows.entries()) odds[row] = (odds[row] ?? 0) + step * (terms[at] ?? 0);
      return Math.abs(step);
    });
    if (Math.max(...moved) < NEAR) break;
  }
  return Object.fromEntries(NAMES.map((name, at) => [name, weights[at] ?? 0])) as unknown as ConfidenceWeights;
}

/** How far the weight of one signal is to go. @param gone how far it is from where fitting begins */
function newtonStep(rows: readonly Row[], odds: Float64Array, at: number, gone: number): number {
  let [slope, bend] = [HOLD * gone, HOLD];
  for (const [row, { terms, right, weight }] of rows.entries()) {
    const [term, chance] = [terms[at] ?? 0, 1 / (1 + Math.exp(-(odds[row] ?? 0)))];
    slope += weight * (chance - right) * term;
    bend += weight * Math.max(LEAST_BEND, chance * (1 - chance)) * term * term;
  }
  return slope / bend;
}
