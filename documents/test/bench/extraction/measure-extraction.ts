import { parseArgs } from 'node:util';
import { calibrationOf, type Calibration } from '../../../src/domain/benchmark/calibration.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import {
  benchDocument,
  fieldOf,
  type BenchedDocument,
  type Extract,
} from '../../../src/embedded/benchmark/bench-document.js';
import { comparableOf, judgedOf, reportOf, type ClassReport } from '../../../src/embedded/benchmark/class-report.js';
import { goldClassesOf, type GoldClass } from '../../../src/embedded/benchmark/gold-classes.js';
import { faultsOfShape } from '../../support/extraction/check-shape.js';
import { LeftOut } from './left-out.js';
import { estimated, printClass } from './print-class.js';
import { ReadingCache } from './reading-cache.js';
import { extractByRenamedKeys } from './renamed-keys.js';
import { askSecondJudge } from './second-judge.js';

/**
 * Extracts every document of a folder with gold and says what came of it, class by class. Documents are read once and kept in the cache.
 */
const { values: asked } = parseArgs({
  options: {
    gold: { type: 'string' },
    class: { type: 'string', multiple: true, default: [] },
    document: { type: 'string', multiple: true, default: [] },
    errors: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
    'rename-keys': { type: 'boolean', default: false },
    'second-judge': { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    'leave-one-out': { type: 'boolean', default: false },
  },
});
if (asked.gold === undefined) {
  process.stderr.write('measure-extraction: name the folder of the gold with --gold\n');
  process.exit(2);
}
const all = goldClassesOf(asked.gold);
const classes = all.filter(({ name }) => asked.class.length === 0 || asked.class.includes(name));
if (classes.length === 0) throw new Error(`${asked.gold} has none of ${asked.class.join(', ')}`);
const cache = new ReadingCache();
const extract: Extract = asked['rename-keys'] ? extractByRenamedKeys : extractDocument;
const reports: ClassReport[] = [];
const measured: BenchedDocument[] = [];
let leftOut: LeftOut | null = null;
try {
  if (asked['leave-one-out']) leftOut = await LeftOut.of(all, cache);
  for (const one of classes) {
    const benched = await benchClass(one);
    measured.push(...benched);
    const report = reportOf(one.name, benched);
    reports.push(report);
    if (!asked.json) process.stdout.write(printClass(report, benched, Number(asked.errors)));
    if (asked['second-judge']) process.stderr.write(`   ${JSON.stringify(await askSecondJudge(one, benched))}\n\n`);
  }
  printCalibration('all', calibrationOf(measured.map(judgedOf)));
  printCalibration('all that can be compared', calibrationOf(measured.map(comparableOf)));
  if (asked.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
} finally {
  await cache.close();
}

function printCalibration(name: string, { auroc, ece, leaves }: Calibration): void {
  process.stderr.write(`${name}: AUROC ${estimated(auroc)}, ECE ${estimated(ece)} over ${leaves} leaves\n`);
}

async function benchClass(one: GoldClass): Promise<BenchedDocument[]> {
  const benched: BenchedDocument[] = [];
  for (const document of one.documents) {
    if (asked.document.length > 0 && !asked.document.some((part) => document.name.includes(part))) continue;
    const result =
      leftOut?.bench(one, document) ?? benchDocument(one, document, await cache.of(document.file), extract);
    result.faults.push(...faultsOfShape(one.schema, result.result.data));
    if (asked.twice) result.faults.push(...(await faultsOfSecondRun(one, result)));
    if (asked.show) show(result);
    benched.push(result);
  }
  return benched;
}

/** Every leaf beside the gold. */
function show(benched: BenchedDocument): void {
  process.stdout.write(`-- ${benched.document.name}\n`);
  for (const leaf of benched.judgement.leaves) {
    if (leaf.got === null && leaf.gold === null) continue;
    const field = fieldOf(benched, leaf);
    const mark = leaf.right ? 'ok ' : 'BAD';
    const by = leaf.got === null ? '' : ` | ${field?.foundBy ?? ''} p${field?.citations[0]?.pageNumber ?? '-'}`;
    process.stdout.write(
      `${mark} ${leaf.path} got ${JSON.stringify(leaf.got)} gold ${JSON.stringify(leaf.gold)}${by}\n`,
    );
  }
}

/** The same bytes give the same result, byte for byte, from a reading of its own. */
async function faultsOfSecondRun(one: GoldClass, first: BenchedDocument): Promise<{ path: string; message: string }[]> {
  const second = extract(one.compiled, await cache.of(first.document.file));
  const same = JSON.stringify(second) === JSON.stringify(first.result);
  return same ? [] : [{ path: '', message: 'is something else on a second run' }];
}
