import { calibrationOf, type Calibration, type Judged } from '../../domain/benchmark/calibration.js';
import { isInferred } from '../../domain/benchmark/check-evidence.js';
import { figuresOf, type ClassFigures } from '../../domain/benchmark/figures.js';
import type { JudgedLeaf } from '../../domain/benchmark/judge-document.js';
import { fieldOf, type BenchedDocument } from './bench-document.js';

/** What is said of one class. */
export interface ClassReport extends ClassFigures {
  name: string;
  pages: number;
  /** Of extraction alone. */
  millisecondsPerPage: number;
  /** Right values whose excerpt stands on the cited page and inside its boxes. */
  grounded: { right: number; of: number };
  /** Values that are said to be inferred: they follow from what is cited, and are not printed there. */
  inferred: { right: number; of: number };
  /** Right values whose boxes are those of the lines that the gold says; null where it says none. */
  onLines: { right: number; of: number } | null;
  /** Everything in a result that no result may have. */
  faults: { document: string; path: string; message: string }[];
  calibration: Calibration;
  /** The same without leaves of which the gold has another shape than the schema. */
  comparable: Calibration;
}

export function reportOf(name: string, benched: readonly BenchedDocument[]): ClassReport {
  const pages = benched.reduce((sum, one) => sum + one.pages, 0);
  const milliseconds = benched.reduce((sum, one) => sum + one.milliseconds, 0);
  const onLines = benched.flatMap((one) => one.onLines ?? []);
  return {
    name,
    ...figuresOf(benched.map(({ judgement }) => judgement)),
    pages,
    millisecondsPerPage: pages === 0 ? 0 : milliseconds / pages,
    grounded: groundedOf(benched),
    inferred: inferredOf(benched),
    onLines: onLines.length === 0 ? null : { right: onLines.filter(Boolean).length, of: onLines.length },
    faults: benched.flatMap((one) => one.faults.map((fault) => ({ document: one.document.name, ...fault }))),
    calibration: calibrationOf(benched.map(judgedOf)),
    comparable: calibrationOf(benched.map(comparableOf)),
  };
}

function groundedOf(benched: readonly BenchedDocument[]): ClassReport['grounded'] {
  const grounded = { right: 0, of: 0 };
  for (const one of benched) {
    const broken = new Set(one.faults.map(({ path }) => path));
    for (const leaf of one.judgement.leaves) {
      if (!leaf.right || leaf.got === null) continue;
      grounded.of++;
      if (!broken.has(leaf.path) && (fieldOf(one, leaf)?.citations.length ?? 0) > 0) grounded.right++;
    }
  }
  return grounded;
}

function inferredOf(benched: readonly BenchedDocument[]): ClassReport['inferred'] {
  const inferred = { right: 0, of: 0 };
  for (const one of benched) {
    for (const leaf of one.judgement.leaves) {
      const field = fieldOf(one, leaf);
      if (field === null || leaf.got === null || !isInferred(field)) continue;
      inferred.of++;
      if (leaf.right) inferred.right++;
    }
  }
  return inferred;
}

/** The leaves of a result with what they say of themselves, nulls too. */
export function judgedOf(one: BenchedDocument): Judged[] {
  return said(one, one.judgement.leaves);
}

/** The same without those that cannot be right, because the gold has something of another shape there than the schema. */
export function comparableOf(one: BenchedDocument): Judged[] {
  return said(
    one,
    one.judgement.leaves.filter((leaf) => isComparable(one, leaf)),
  );
}

export function isComparable({ judgement }: BenchedDocument, { pattern, row }: JudgedLeaf): boolean {
  return row === 'paired' || ![...judgement.misshapen].some((outer) => pattern.startsWith(`${outer}/`));
}

function said(one: BenchedDocument, leaves: readonly JudgedLeaf[]): Judged[] {
  return leaves.flatMap((leaf) => {
    const field = fieldOf(one, leaf);
    return field === null ? [] : [{ confidence: field.confidence, right: leaf.right }];
  });
}
