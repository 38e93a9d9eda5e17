import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Signals } from '../../../src/domain/extraction/model/signals.js';
import { type ConfidenceWeights, termsOf, weigh } from '../../../src/domain/extraction/confidence/confidence-of.js';

/** An answer of the gold: what spoke for it, and whether it was right. */
export interface JudgedAnswer {
  signals: Signals;
  isNull: boolean;
  right: boolean;
  weight: number;
}

const FILE = fileURLToPath(new URL('../../../src/domain/extraction/confidence/confidence-weights.ts', import.meta.url));
const NAMES = ['bias', 'odds', 'read', 'find', 'fit', 'agree', 'ground'] as const;
/** Where fitting begins: each signal speaks for an answer. */
const PRIOR: ConfidenceWeights = { bias: -3, odds: 1.5, read: 1, find: 1, fit: 0.7, agree: 0.7, ground: 0.3 };
const STEPS = 3000;
const RATE = 0.02;
const HOLD = 0.5;

/** Fits the weights of confidence, of values and of nulls by themselves, and writes them into the sources. No signal may speak against what it is for. */
export function writeConfidence(answers: readonly JudgedAnswer[]): void {
  const value = fit(answers.filter(({ isNull }) => !isNull));
  const none = fit(answers.filter(({ isNull }) => isNull));
  const line = (weights: ConfidenceWeights): string =>
    `{ ${NAMES.map((name) => `${name}: ${Number(weights[name].toFixed(3))}`).join(', ')} }`;
  const text = [
    '/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */',
    'export const CONFIDENCE_WEIGHTS = {',
    `  value: ${line(value)},`,
    `  none: ${line(none)},`,
    '} as const;',
    '',
  ];
  writeFileSync(FILE, text.join('\n'));
}

function fit(answers: readonly JudgedAnswer[]): ConfidenceWeights {
  const weights = { ...PRIOR };
  const total = answers.reduce((sum, { weight }) => sum + weight, 0) + 1;
  for (let step = 0; step < STEPS; step += 1) {
    const gradient: ConfidenceWeights = { ...PRIOR };
    for (const name of NAMES) gradient[name] = HOLD * (weights[name] - PRIOR[name]);
    for (const { signals, right, weight } of answers) {
      const error = 1 / (1 + Math.exp(-weigh(signals, weights))) - Number(right);
      for (const [name, term] of termsOf(signals)) gradient[name] += weight * error * term;
    }
    for (const name of NAMES) {
      const next = weights[name] - (RATE * gradient[name] * 20) / total;
      weights[name] = name === 'bias' ? next : Math.max(0, next);
    }
  }
  return weights;
}
