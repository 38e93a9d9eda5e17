import type { ScalarAnswer } from '../../model/answer.js';
import type { Reading, WordRange } from '../../model/reading.js';
import type { CellValues } from './cell-values.js';

/** How sure it is that a cell without words, or a leaf without a column, has no value. */
export const ABSENT = { emptyCell: 0.9, noColumn: 0.5, unlikeValue: 0.25 };

export interface PrintedCell {
  values: CellValues;
  raw: string;
  at: WordRange[];
  find: number;
  foundBy: string;
  /** Whether it stands in the cell of a sheet. */
  isCell: boolean;
}

/** The value that a cell holds; null where its text is none. */
export function cellAnswer(cell: PrintedCell, reading: Reading): ScalarAnswer | null {
  const { values, raw, at, find, foundBy, isCell } = cell;
  const read = values.read(raw);
  if (read === null) return null;
  const words = at.flatMap((range) => reading.wordsOf(range));
  const confidence = words.reduce((least, word) => Math.min(least, word.confidence), 1);
  const isSame = String(read.value) === raw;
  return {
    kind: 'scalar',
    value: read.value,
    evidence: {
      ...{ raw, at, foundBy, normalizedBy: read.normalizedBy },
      match: isSame ? 'exact' : 'normalized',
      source: isCell ? 'cell' : (words[0]?.source ?? 'text_layer'),
    },
    signals: { read: confidence, find, fit: values.fitOf(raw), agree: 0.5, ground: isSame ? 1 : 0.95 },
  };
}

export function absent(find: number): ScalarAnswer {
  const signals = { read: 0.99, find, fit: 1, agree: 0.5, ground: 1 };
  return { kind: 'scalar', value: null, evidence: null, signals };
}
