import { parseArgs } from 'node:util';
import { FAMILIES, type Family, type Features } from '../../../src/domain/extraction/scalars/features.js';
import { ranked } from '../../../src/domain/extraction/scalars/score.js';
import { goldClassesOf } from '../../../src/embedded/benchmark/gold-classes.js';
import { fitChoices, type Choice } from './fit-choices.js';
import { goldChoices, type GoldChoice } from './gold-choices.js';
import { PRIOR_WEIGHTS } from './prior-weights.js';
import { ReadingCache } from './reading-cache.js';
import { writeWeights } from './write-weights.js';

/**
 * Fits the weights of candidates to a folder with gold and writes them into the sources. Before, each document is left out in turn, and it is told how
 * many leaves are right by the weights that were fitted without it.
 */
const { values: asked } = parseArgs({
  options: { gold: { type: 'string' }, evaluate: { type: 'boolean', default: false } },
});
if (asked.gold === undefined) {
  process.stderr.write('fit-weights: name the folder of the gold with --gold\n');
  process.exit(2);
}
const choices = await readChoices(asked.gold);
if (asked.evaluate) evaluate(choices);
writeWeights(fitAll(choices));

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

function evaluate(all: readonly GoldChoice[]): void {
  const sizes = sizesOf(all);
  const counts = new Map<string, { right: number; returned: number; gold: number }>();
  for (const document of new Set(all.map((one) => one.document))) {
    const others = all.filter((one) => one.document !== document);
    const weights = new Map<Family, Features>();
    for (const one of all.filter((each) => each.document === document)) {
      const { family, target, candidates } = one;
      const own = weights.get(family) ?? fitFamily(family, others, sizes);
      weights.set(family, own);
      const [best] = ranked(target, candidates, { ...PRIOR_WEIGHTS, [family]: own });
      const key = `${classOf(document)} ${target.path}`;
      const count = counts.get(key) ?? { right: 0, returned: 0, gold: 0 };
      const chosen = best !== undefined && best.score > 0 ? best : null;
      counts.set(key, {
        right: count.right + (chosen !== null && one.isRight(chosen.value) ? 1 : 0),
        returned: count.returned + (chosen === null ? 0 : 1),
        gold: count.gold + (one.hasValue ? 1 : 0),
      });
    }
  }
  for (const [key, { right, returned, gold }] of counts)
    process.stdout.write(`${key}: ${right} right, ${returned} returned, ${gold} gold\n`);
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
