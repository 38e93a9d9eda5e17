import type { Estimate } from '../../../src/domain/benchmark/calibration.js';
import { figuresOf, type Share } from '../../../src/domain/benchmark/figures.js';
import type { JudgedLeaf } from '../../../src/domain/benchmark/judge-document.js';
import type { ClassReport } from '../../../src/embedded/benchmark/class-report.js';
import { fieldOf, type BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';

const FIELDS = 25;
const SHOWN = 70;

/** What a class came to, as a person reads it, with its largest errors. */
export function printClass(report: ClassReport, benched: readonly BenchedDocument[], errors: number): string {
  const { micro, outsideLists, insideLists, rows, grounded, onLines, faults, pages } = report;
  const { auroc, ece, leaves } = report.calibration;
  return [
    `== ${report.name}: F1 ${share(report.f1)} over ${report.documents} documents; micro ${written(micro)}`,
    `   outside lists ${written(outsideLists)}; in lists ${written(insideLists)}; rows ${rows.whole} whole of ${rows.gold}, ${rows.returned} returned`,
    `   answered though null ${report.answeredNulls} of ${report.goldNulls}, in rows that there are not ${report.inExtraRows}, not asked for ${report.unasked} (F1 with them ${share(report.f1WithUnasked)})`,
    `   right values grounded ${grounded.right} of ${grounded.of}${onLines === null ? '' : `, on their lines ${onLines.right} of ${onLines.of}`}; ` +
      `AUROC ${estimated(auroc)}, ECE ${estimated(ece)} over ${leaves} leaves`,
    `   broken invariants ${faults.length}, inferred ${report.inferred.of} (${report.inferred.right} right); ${report.millisecondsPerPage.toFixed(2)} ms a page, ${pages} pages`,
    ...faults.slice(0, 10).map(({ document, path, message }) => `   BROKEN ${document} ${path} ${message}`),
    ...benched.map(
      (one) => `   ${share(figuresOf([one.judgement]).f1)} ${one.document.name} (${one.milliseconds.toFixed(0)} ms)`,
    ),
    ...report.fields.slice(0, FIELDS).map((field) => `   ${field.pattern.padEnd(50)} ${written(field)}`),
    ...(errors > 0 ? ['   largest errors:', ...largestErrors(benched, errors)] : []),
    '',
  ].join('\n');
}

export const estimated = (one: Estimate | null): string =>
  one === null ? '-' : `${share(one.value)} (${share(one.low)}…${share(one.high)})`;

interface Weighed {
  leaf: JudgedLeaf;
  one: BenchedDocument;
  /** What it takes from the mean over the documents. */
  weight: number;
}

/** The wrong leaves that cost the most: in a class each document counts alike, so that those of small ones weigh more. */
function largestErrors(benched: readonly BenchedDocument[], errors: number): string[] {
  const weighed = benched.flatMap((one): Weighed[] => {
    const { leaves } = one.judgement;
    const { micro } = figuresOf([one.judgement]);
    return leaves.flatMap((leaf) => {
      if (leaf.right || (leaf.got === null && leaf.gold === null)) return [];
      const parts = Number(leaf.got !== null) + Number(leaf.gold !== null);
      return [{ leaf, one, weight: parts / Math.max(1, micro.returned + micro.gold) }];
    });
  });
  weighed.sort((a, b) => b.weight - a.weight);
  return weighed.slice(0, errors).map(({ leaf, one, weight }) => {
    const field = fieldOf(one, leaf);
    const page = field?.citations[0]?.pageNumber;
    const row = leaf.row === 'paired' ? '' : ` ${leaf.row.toUpperCase()} ROW`;
    return [
      `   ${(100 * weight).toFixed(1).padStart(5)} ${one.document.name} ${leaf.path}${row}`,
      `         gold ${shown(leaf.gold)}  got ${shown(leaf.got)}`,
      ...(field === null || leaf.got === null
        ? []
        : [
            `         raw ${shown(field.raw)} page ${page ?? '-'} by ${field.foundBy ?? '-'} (${field.confidence.toFixed(2)})`,
          ]),
    ].join('\n');
  });
}

const share = (value: number): string => value.toFixed(3);
const written = ({ f1, precision, recall, right, returned, gold }: Share): string =>
  `F1 ${share(f1)} P ${share(precision)} R ${share(recall)} (${right} right, ${returned} returned, ${gold} gold)`;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
