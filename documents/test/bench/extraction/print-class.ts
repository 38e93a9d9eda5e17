import { figuresOf, type Share } from '../../../src/domain/benchmark/figures.js';
import type { JudgedLeaf } from '../../../src/domain/benchmark/judge-document.js';
import { fieldOf, type BenchedDocument } from '../../../src/embedded/benchmark/bench-class.js';

const FIELDS = 25;
const SHOWN = 70;

/** What a class came to, as a person reads it, with its largest errors. */
export function printClass(name: string, benched: readonly BenchedDocument[], errors: number): string {
  const figures = figuresOf(benched.map(({ judgement }) => judgement));
  const { micro, outsideLists, insideLists, rows } = figures;
  const pages = benched.reduce((sum, one) => sum + one.pages, 0);
  const ms = benched.reduce((sum, one) => sum + one.milliseconds, 0);
  const faults = benched.flatMap((one) => one.faults.map((fault) => ({ ...fault, document: one.document.name })));
  return [
    `== ${name}: F1 ${percent(figures.f1)} over ${figures.documents} documents; micro ${written(micro)}`,
    `   outside lists ${written(outsideLists)}; in lists ${written(insideLists)}; rows ${rows.whole} whole of ${rows.gold}, ${rows.returned} returned`,
    `   answered though null ${figures.answeredNulls} of ${figures.goldNulls}, in rows that there are not ${figures.inExtraRows}, not asked for ${figures.unasked}`,
    `   broken invariants ${faults.length}; ${(ms / Math.max(1, pages)).toFixed(2)} ms a page, ${pages} pages`,
    ...faults.slice(0, 10).map(({ document, path, message }) => `   BROKEN ${document} ${path} ${message}`),
    ...benched.map(
      (one) => `   ${percent(figuresOf([one.judgement]).f1)} ${one.document.name} (${one.milliseconds.toFixed(0)} ms)`,
    ),
    ...figures.fields.slice(0, FIELDS).map((field) => `   ${field.pattern.padEnd(50)} ${written(field)}`),
    ...(errors > 0 ? ['   largest errors:', ...largestErrors(benched, errors)] : []),
    '',
  ].join('\n');
}

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

const percent = (value: number): string => value.toFixed(3);
const written = ({ f1, precision, recall, right, returned, gold }: Share): string =>
  `F1 ${percent(f1)} P ${percent(precision)} R ${percent(recall)} (${right} right, ${returned} returned, ${gold} gold)`;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
