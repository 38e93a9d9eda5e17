import type { CompiledSchema } from '../../domain/schemas/compile-schema.js';
import { checkEvidence, type EvidenceFault } from '../../domain/benchmark/check-evidence.js';
import { judgeDocument, type JudgedLeaf, type Judgement } from '../../domain/benchmark/judge-document.js';
import { extractDocument } from '../../domain/extraction/extract-document.js';
import type { Reading } from '../../domain/extraction/model/reading.js';
import type { ExtractedDocument, ExtractedField } from '../../domain/extraction/model/extraction-result.js';
import { isOnItsLines, lineBoxesOf } from './line-boxes.js';
import type { GoldClass, GoldDocument } from './gold-classes.js';

/** What extraction made of one document of the gold. */
export interface BenchedDocument {
  document: GoldDocument;
  pages: number;
  /** Of the extraction alone; the document was read before. */
  milliseconds: number;
  result: ExtractedDocument;
  judgement: Judgement;
  faults: EvidenceFault[];
  /** Of each right value, whether its boxes are those of the lines that the gold says; null where it says none. */
  onLines: boolean[] | null;
}

export type Extract = (schema: Pick<CompiledSchema, 'root'>, reading: Reading) => ExtractedDocument;

/** Extracts a document of the gold, and judges what came of it. */
export function benchDocument(
  { compiled, rules }: Pick<GoldClass, 'compiled' | 'rules'>,
  document: GoldDocument,
  reading: Reading,
  extract: Extract = extractDocument,
): BenchedDocument {
  const started = performance.now();
  const result = extract(compiled, reading);
  const milliseconds = performance.now() - started;
  const judgement = judgeDocument(result.data, document.gold, rules, document.unscored);
  const faults = checkEvidence(compiled.root, result, reading);
  const benched = { document, pages: reading.pages.length, milliseconds, result, judgement, faults };
  return { ...benched, onLines: linesOf(benched, reading) };
}

function linesOf(benched: Omit<BenchedDocument, 'onLines'>, reading: Reading): boolean[] | null {
  const { boxesFile } = benched.document;
  if (boxesFile === null) return null;
  const lines = lineBoxesOf(boxesFile, reading);
  return benched.judgement.leaves
    .filter(({ right, got }) => right && got !== null)
    .map((leaf) => isOnItsLines(fieldOf(benched, leaf)?.citations ?? [], lines));
}

/** A leaf with what the result says of it; null where nothing was returned. */
export function fieldOf({ result }: Pick<BenchedDocument, 'result'>, leaf: JudgedLeaf): ExtractedField | null {
  return leaf.row === 'missing' ? null : (result.fields[leaf.path] ?? null);
}
