import { FAMILIES, type Family } from '../../../src/domain/extraction/scalars/features.js';
import type { AllWeights } from '../../../src/domain/extraction/scalars/score.js';
import { ChoiceFit, type Choice } from './fit-choices.js';
import type { GoldChoice } from './gold-choices.js';
import { PRIOR_WEIGHTS } from './prior-weights.js';

/** Amounts of contracts and of receipts pull to different sides. */
const HOLDS: Partial<Record<Family, number>> = { amount: 1.5 };

/** The weights of candidates by all choices of the gold, or by all but those of one document. */
export class FamiliesFit {
  private readonly fits: ReadonlyMap<Family, ChoiceFit>;

  constructor(all: readonly GoldChoice[]) {
    const sizes = sizesOf(all);
    this.fits = new Map(
      FAMILIES.map((family) => {
        const choices = all.filter((one) => one.family === family).flatMap((one) => choiceOf(one, sizes));
        return [family, new ChoiceFit(choices, PRIOR_WEIGHTS[family], HOLDS[family])];
      }),
    );
  }

  /** @param without a document, as `<class>/<name>`, from which nothing is learned */
  weights(without?: string): AllWeights {
    return Object.fromEntries([...this.fits].map(([family, fit]) => [family, fit.weights(without)])) as AllWeights;
  }
}

/** A class of many documents weighs no more than some of few. */
export function weightIn(size: number | undefined): number {
  return 3 / Math.sqrt(size ?? 1);
}

function choiceOf(
  { document, candidates, isRight, hasValue }: GoldChoice,
  sizes: ReadonlyMap<string, number>,
): Choice[] {
  const rights = candidates.map(({ features, value }) => ({ features, right: isRight(value) }));
  const isFound = rights.some(({ right }) => right);
  const weight = weightIn(sizes.get(classOf(document)));
  // Where the right value is no candidate, the gold does not say that a wrong one is worse than none.
  return hasValue && !isFound ? [] : [{ document, candidates: rights, weight: hasValue ? weight : weight / 2 }];
}

function sizesOf(all: readonly GoldChoice[]): Map<string, number> {
  const documents = new Set(all.map(({ document }) => document));
  return new Map([...Map.groupBy(documents, classOf)].map(([name, those]) => [name, those.length]));
}

function classOf(document: string): string {
  return document.split('/')[0] ?? document;
}
