import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { calibrationOf } from '../../../src/domain/benchmark/calibration.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { benchDocument, type BenchedDocument, type Extract } from '../../../src/embedded/benchmark/bench-document.js';
import { benchmarkPage } from '../../../src/embedded/benchmark/benchmark-page.js';
import { comparableOf, judgedOf, reportOf } from '../../../src/embedded/benchmark/class-report.js';
import { goldClassesOf, type GoldClass } from '../../../src/embedded/benchmark/gold-classes.js';
import { pageHead } from '../../support/extraction/page-head.js';
import { WEIGHTS } from '../../../src/domain/extraction/scalars/weights.js';
import { countCauses } from './causes-of-errors.js';
import { writeConfidence } from './fit-confidence.js';
import { goalsOf, type MeasuredClass } from './goals.js';
import { LeftOut } from './left-out.js';
import { ReadingCache } from './reading-cache.js';
import { extractByRenamedKeys } from './renamed-keys.js';
import { askSecondJudge } from './second-judge.js';
import { writeWeights } from './write-weights.js';

/**
 * Measures a folder with gold in every way, and writes the page of the documentation that says what came of it. With `--fit` it writes the weights that
 * were fitted meanwhile into the sources first, as `fit.mjs` does.
 */
const PAGE = fileURLToPath(new URL('../../../docs/benchmark.md', import.meta.url));
const { values: asked } = parseArgs({
  options: { gold: { type: 'string' }, fit: { type: 'boolean', default: false } },
});
if (asked.gold === undefined) {
  process.stderr.write('write-page: name the folder of the gold with --gold\n');
  process.exit(2);
}
const classes = goldClassesOf(asked.gold);
const cache = new ReadingCache();
const measured: MeasuredClass[] = [];
const all: BenchedDocument[] = [];
const causes = new Map<string, ReadonlyMap<string, number>>();
try {
  const leftOut = await LeftOut.of(classes, cache);
  if (asked.fit) {
    writeWeights(leftOut.fit.weights());
    writeConfidence(leftOut.confidence.weights());
  }
  const weights = asked.fit ? leftOut.fit.weights() : WEIGHTS;
  const ways: Extract[] = [
    (schema, reading) => extractDocument(schema, reading, weights),
    (schema, reading) => extractByRenamedKeys(schema, reading, weights),
  ];
  for (const one of classes) {
    const benched = one.documents.map((document) => leftOut.bench(one, document));
    all.push(...benched);
    const [fitted = 0, renamed = 0] = await Promise.all(ways.map(async (extract) => f1Of(one, extract)));
    const judges = await askSecondJudge(one, benched);
    measured.push({ report: reportOf(one.name, benched), fitted, renamed, judges });
    causes.set(one.name, await causesIn(benched, one, leftOut));
  }
} finally {
  await cache.close();
}
const [pooled, comparable] = [calibrationOf(all.map(judgedOf)), calibrationOf(all.map(comparableOf))];
const page = benchmarkPage(
  measured.map(({ report }) => report),
  {
    head: pageHead(),
    goals: goalsOf(measured, pooled),
    pooled: [
      { name: 'all', calibration: pooled },
      { name: 'all, without leaves of which the gold has another shape than the schema', calibration: comparable },
    ],
    otherwise: new Map([
      ['By the weights of this version', by(({ fitted }) => fitted)],
      ['And with keys that say nothing', by(({ renamed }) => renamed)],
      ['By omni-extract-bench, where both take the same values for the same', by(({ judges }) => judges.second)],
      ['By omni-extract-bench as it is', by(({ judges }) => judges.secondByItsOwn)],
    ]),
    causes,
  },
);
writeFileSync(PAGE, page);

function by(figure: (one: MeasuredClass) => number): ReadonlyMap<string, number> {
  return new Map(measured.map((one) => [one.report.name, figure(one)]));
}

async function f1Of(one: GoldClass, extract: Extract): Promise<number> {
  const benched = [];
  for (const document of one.documents) {
    benched.push(benchDocument(one, document, await cache.of(document.file), extract));
  }
  return reportOf(one.name, benched).f1;
}

async function causesIn(
  benched: readonly BenchedDocument[],
  one: GoldClass,
  leftOut: LeftOut,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const each of benched) {
    countCauses(counts, each, leftOut.choicesOf(one, each.document), await cache.of(each.document.file));
  }
  return counts;
}
