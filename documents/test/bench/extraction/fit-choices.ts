import { FEATURES, type Features } from '../../../src/domain/extraction/scalars/features.js';

/** One decision of the gold: the candidates of a leaf, and which of them are right; none where the leaf has no value. */
export interface Choice {
  candidates: { features: Features; right: boolean }[];
  weight: number;
}

/** Steps of the descent, and how large they begin. */
const STEPS = 250;
const RATE = 0.15;
/** How strongly weights are held to where they began: the gold is small. */
const HOLD = 0.3;

/**
 * Weights by which the right candidate of each choice, or none where none is right, is the likeliest: a conditional logistic model, held to where it
 * began. None has the score 0, so that the weights hold the threshold too.
 */
export function fitChoices(choices: readonly Choice[], prior: Features): Features {
  const names = FEATURES.filter(
    (name) =>
      prior[name] !== undefined ||
      choices.some(({ candidates }) => candidates.some(({ features }) => (features[name] ?? 0) !== 0)),
  );
  const start = names.map((name) => prior[name] ?? 0);
  const rows = choices.map(({ candidates, weight }) => ({
    weight,
    rights: candidates.map(({ right }) => right),
    values: candidates.map(({ features }) => names.map((name) => features[name] ?? 0)),
  }));
  const weights = [...start];
  const [first, second] = [names.map(() => 0), names.map(() => 0)];
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = weights.map((weight, at) => HOLD * (weight - (start[at] ?? 0)));
    for (const row of rows) addGradient(row, weights, gradient);
    for (const at of names.keys()) {
      const slope = gradient[at] ?? 0;
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * slope;
      second[at] = 0.999 * (second[at] ?? 0) + 0.001 * slope * slope;
      const [mean, spread] = [(first[at] ?? 0) / (1 - 0.9 ** step), (second[at] ?? 0) / (1 - 0.999 ** step)];
      weights[at] = (weights[at] ?? 0) - (RATE * (1 - step / (STEPS + 1)) * mean) / (Math.sqrt(spread) + 1e-8);
    }
  }
  return Object.fromEntries(names.map((name, at) => [name, Number((weights[at] ?? 0).toFixed(3))]));
}

interface Row {
  weight: number;
  rights: boolean[];
  values: number[][];
}

/** Of the loss: minus the logarithm of the chance of all that is right together. */
function addGradient({ weight, rights, values }: Row, weights: readonly number[], gradient: number[]): void {
  const odds = values.map((value) =>
    Math.exp(
      Math.min(
        30,
        value.reduce((sum, one, at) => sum + one * (weights[at] ?? 0), 0),
      ),
    ),
  );
  const all = odds.reduce((sum, one) => sum + one, 1);
  const isNone = !rights.includes(true);
  const right = isNone ? 1 : odds.reduce((sum, one, at) => sum + (rights[at] === true ? one : 0), 0);
  for (const [row, value] of values.entries()) {
    const odd = odds[row] ?? 0;
    const slope = odd / all - (rights[row] === true ? odd / right : 0);
    for (const [at, one] of value.entries()) gradient[at] = (gradient[at] ?? 0) + weight * slope * one;
  }
}
