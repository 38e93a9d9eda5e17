import { FEATURES, type Feature, type Features } from '../../../src/domain/extraction/scalars/features.js';

/** One decision of the gold: the candidates of a leaf, and which of them are right; none where the leaf has no value. */
export interface Choice {
  /** The document in which it was made. */
  document: string;
  candidates: { features: Features; right: boolean }[];
  weight: number;
}

/** Steps of the descent, and how large they begin. */
const STEPS = 150;
const RATE = 0.15;
/** How strongly weights are held to where they began: the gold is small. */
const HOLD = 0.3;
const MOST_SCORE = 30;

/** A choice as the fit sees it: of each candidate the features that are not 0. */
interface Row {
  document: string;
  weight: number;
  rights: boolean[];
  isNone: boolean;
  names: Uint8Array[];
  values: Float64Array[];
}

/**
 * Weights by which the right candidate of each choice, or none where none is right, is the likeliest: a conditional logistic model, held to where it
 * began. None has the score 0, so that the weights hold the threshold too. The choices are laid out once, and can be fitted without one document after
 * another.
 */
export class ChoiceFit {
  private readonly names: readonly Feature[];
  private readonly start: Float64Array;
  private readonly rows: readonly Row[];
  private readonly documents: ReadonlySet<string>;
  private whole: Features | null = null;

  constructor(
    choices: readonly Choice[],
    prior: Features,
    private readonly hold = HOLD,
  ) {
    const isUsed = (name: Feature): boolean =>
      choices.some(({ candidates }) => candidates.some(({ features }) => (features[name] ?? 0) !== 0));
    this.names = FEATURES.filter((name) => prior[name] !== undefined || isUsed(name));
    this.start = Float64Array.from(this.names, (name) => prior[name] ?? 0);
    this.rows = choices.map((choice) => rowOf(choice, this.names));
    this.documents = new Set(choices.map(({ document }) => document));
  }

  /** @param without a document whose choices are left out */
  weights(without?: string): Features {
    if (without === undefined || !this.documents.has(without)) return (this.whole ??= this.descend(this.rows));
    return this.descend(this.rows.filter(({ document }) => document !== without));
  }

  private descend(rows: readonly Row[]): Features {
    const { start, hold } = this;
    const weights = Float64Array.from(start);
    const [first, second] = [new Float64Array(start.length), new Float64Array(start.length)];
    for (let step = 1; step <= STEPS; step += 1) {
      const gradient = weights.map((weight, at) => hold * (weight - (start[at] ?? 0)));
      for (const row of rows) addGradient(row, weights, gradient);
      for (const [at, slope] of gradient.entries()) {
        first[at] = 0.9 * (first[at] ?? 0) + 0.1 * slope;
        second[at] = 0.999 * (second[at] ?? 0) + 0.001 * slope * slope;
        const [mean, spread] = [(first[at] ?? 0) / (1 - 0.9 ** step), (second[at] ?? 0) / (1 - 0.999 ** step)];
        weights[at] = (weights[at] ?? 0) - (RATE * (1 - step / (STEPS + 1)) * mean) / (Math.sqrt(spread) + 1e-8);
      }
    }
    return Object.fromEntries(this.names.map((name, at) => [name, Number((weights[at] ?? 0).toFixed(3))]));
  }
}

function rowOf({ document, candidates, weight }: Choice, names: readonly Feature[]): Row {
  const said = candidates.map(({ features }) =>
    names.flatMap((name, at): [number, number][] => {
      const value = features[name] ?? 0;
      return value === 0 ? [] : [[at, value]];
    }),
  );
  const rights = candidates.map(({ right }) => right);
  return {
    ...{ document, weight, rights, isNone: !rights.includes(true) },
    names: said.map((one) => Uint8Array.from(one, ([at]) => at)),
    values: said.map((one) => Float64Array.from(one, ([, value]) => value)),
  };
}

/** Of the loss: minus the logarithm of the chance of all that is right together. */
function addGradient(
  { weight, rights, isNone, names, values }: Row,
  weights: Float64Array,
  gradient: Float64Array,
): void {
  const odds = new Float64Array(values.length);
  let [all, right] = [1, isNone ? 1 : 0];
  for (let row = 0; row < odds.length; row += 1) {
    const odd = Math.exp(Math.min(MOST_SCORE, product(names[row], values[row], weights)));
    odds[row] = odd;
    all += odd;
    if (rights[row] === true) right += odd;
  }
  for (let row = 0; row < odds.length; row += 1) {
    const odd = odds[row] ?? 0;
    const slope = weight * (odd / all - (rights[row] === true ? odd / right : 0));
    add(names[row], values[row], slope, gradient);
  }
}

function product(names: Uint8Array | undefined, values: Float64Array | undefined, weights: Float64Array): number {
  let sum = 0;
  if (names === undefined || values === undefined) return sum;
  for (let at = 0; at < names.length; at += 1) sum += (values[at] ?? 0) * (weights[names[at] ?? 0] ?? 0);
  return sum;
}

function add(
  names: Uint8Array | undefined,
  values: Float64Array | undefined,
  slope: number,
  gradient: Float64Array,
): void {
  if (names === undefined || values === undefined) return;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? 0;
    gradient[name] = (gradient[name] ?? 0) + slope * (values[at] ?? 0);
  }
}
