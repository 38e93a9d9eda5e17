import { parseArgs } from 'node:util';
import { FAMILIES, type Family, type Features } from '../../../src/domain/extraction/scalars/features.js';
import { ranked } from '../../../src/domain/extraction/scalars/score.js';
import { signalsOf, signalsOfNone } from '../../../src/domain/extraction/scalars/signals.js';
import { goldClassesOf } from '../../../src/embedded/benchmark/gold-classes.js';
import { fitChoices, type Choice } from './fit-choices.js';
import { writeConfidence, type JudgedAnswer } from './fit-confidence.js';
import { goldChoices, type GoldChoice } from './gold-choices.js';
import { PRIOR_WEIGHTS } from './prior-weights.js';
import { ReadingCache } from './reading-cache.js';
import { writeWeights } from './write-weights.js';

/**
 * Fits the weights of candidates to a folder with gold and writes them into the sources. With `--evaluate` some documents are left out in turn, and it is told how
 * many leaves are right by the weights that were fitted without it.
 */
const { values: asked } = parseArgs({
  options: { gold: { type: 'string' }, evaluate: { type: 'boolean', default: false } },
});
if (asked.gold === undefined) {
  process.stderr.write('fit-weights: name the folder of the gold with --gold\n');
  process.exit(2);
}
/** Amounts of contracts and of receipts pull to different sides. */
const HOLDS: Partial<Record<Family, number>> = { amount: 1.5 };

/** Leaving out documents one by one takes an hour and tells the same. */
const FOLDS = 8;
const choices = await readChoices(asked.gold);
writeWeights(fitAll(choices));
// The confidence of an answer is learned from answers that were found without its document.
if (asked.evaluate) writeConfidence(evaluate(choices));

async function readChoices(folder: string): Promise<GoldChoice[]> {
  const cache = new ReadingCache();
  const read: GoldChoice[] = [];
  try {
    for (const one of goldClassesOf(folder)) {
      for (const document of one.documents) read.push(...goldChoices(one, document, await cache.of(document.file)));
    }
  } finally {
    await cache.close();
  }
  return read;
}

/** A class of many documents weighs no more than some of few. */
function fitAll(all: readonly GoldChoice[]): Record<Family, Features> {
  const sizes = sizesOf(all);
  return Object.fromEntries(FAMILIES.map((family) => [family, fitFamily(family, all, sizes)])) as Record<
    Family,
    Features
  >;
}

function fitFamily(family: Family, all: readonly GoldChoice[], sizes: ReadonlyMap<string, number>): Features {
  const own = all.filter((one) => one.family === family);
  return fitChoices(
    own.flatMap((one) => choiceOf(one, sizes)),
    PRIOR_WEIGHTS[family],
    HOLDS[family],
  );
}

function choiceOf(
  { document, candidates, isRight, hasValue }: GoldChoice,
  sizes: ReadonlyMap<string, number>,
): Choice[] {
  const rights = candidates.map(({ features, value }) => ({ features, right: isRight(value) }));
  const isFound = rights.some(({ right }) => right);
  const weight = 3 / Math.sqrt(sizes.get(classOf(document)) ?? 1);
  // Where the right value is no candidate, the gold does not say that a wrong one is worse than none.
  return hasValue && !isFound ? [] : [{ candidates: rights, weight: hasValue ? weight : weight / 2 }];
}

function evaluate(all: readonly GoldChoice[]): JudgedAnswer[] {
  const answers: JudgedAnswer[] = [];
  const sizes = sizesOf(all);
  const counts = new Map<string, { right: number; returned: number; gold: number }>();
  const folds = foldsOf(all);
  for (const fold of new Set(folds.values())) {
    const others = all.filter((one) => folds.get(one.document) !== fold);
    const weights = new Map<Family, Features>();
    for (const one of all.filter((each) => folds.get(each.document) === fold)) {
      const { document, family, target, candidates } = one;
      const own = weights.get(family) ?? fitFamily(family, others, sizes);
      weights.set(family, own);
      const ranking = ranked(target, candidates, { ...PRIOR_WEIGHTS, [family]: own });
      const [best] = ranking;
      const key = `${classOf(document)} ${target.path}`;
      const count = counts.get(key) ?? { right: 0, returned: 0, gold: 0 };
      const chosen = best !== undefined && best.score > 0 ? best : null;
      const right = chosen === null ? !one.hasValue : one.isRight(chosen.value);
      const signals =
        chosen === null ? signalsOfNone(ranking, one.read) : signalsOf(target, chosen, ranking, undefined, one.reading);
      answers.push({
        signals,
        isNull: chosen === null,
        right,
        weight: 3 / Math.sqrt(sizes.get(classOf(document)) ?? 1),
      });
      counts.set(key, {
        right: count.right + (chosen !== null && one.isRight(chosen.value) ? 1 : 0),
        returned: count.returned + (chosen === null ? 0 : 1),
        gold: count.gold + (one.hasValue ? 1 : 0),
      });
    }
  }
  for (const [key, { right, returned, gold }] of counts)
    process.stdout.write(`${key}: ${right} right, ${returned} returned, ${gold} gold\n`);
  return answers;
}

/** Documents that are left out together. */
function foldsOf(all: readonly GoldChoice[]): ReadonlyMap<string, number> {
  return new Map([...new Set(all.map(({ document }) => document))].map((document, at) => [document, at % FOLDS]));
}

function sizesOf(all: readonly GoldChoice[]): Map<string, number> {
  const documents = [...new Set(all.map(({ document }) => document))];
  const sizes = new Map<string, number>();
  for (const document of documents) sizes.set(classOf(document), (sizes.get(classOf(document)) ?? 0) + 1);
  return sizes;
}

function classOf(document: string): string {
  return document.split('/')[0] ?? document;
}
