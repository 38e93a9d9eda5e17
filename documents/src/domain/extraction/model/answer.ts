import type { JsonPrimitive } from '../../../../../src/domain/json.js';
import type { Citation } from './extraction-result.js';
import type { WordRange } from './reading.js';
import type { Signals } from './signals.js';
import type { NormalizerName } from '../values/normalizers.js';

/** Where an answer stands, and how it follows from what stands there. */
export interface Evidence {
  /** What is printed, as it stands in the cited excerpt. */
  raw: string;
  /** How the value follows from `raw`. */
  normalizedBy: NormalizerName;
  /** One range for each line that it stands on; a value in a form field or a checkbox has the words beside it, which may be none. */
  at: WordRange[];
  match: Citation['match'];
  source: Citation['source'];
  /** The label, heading or column that names it. */
  foundBy: string;
}

/**
 * What the engine says of a leaf. A value of null with signals says how sure it is that there is none: `find` is then low where something near to an answer
 * was turned down.
 */
export interface ScalarAnswer {
  kind: 'scalar';
  value: JsonPrimitive;
  /** Null for a value of null, and for one that is inferred, as a number of pages. */
  evidence: Evidence | null;
  signals: Signals;
}

export interface ObjectAnswer {
  kind: 'object';
  /** In the order of the schema; every property of it. */
  properties: ReadonlyMap<string, Answer>;
}

/** Where the number of rows that a list should have is known from. */
export type CountMethod = 'table_rows' | 'numbering' | 'stated_total' | 'segments';

export interface ListAnswer {
  kind: 'list';
  items: Answer[];
  /** Rows that there are by evidence apart from the items; null where nothing tells. */
  expectedRows: number | null;
  method: CountMethod | null;
  /** Pages between its first and its last that were not read or gave no row. */
  missingPages: number[];
}

export type Answer = ScalarAnswer | ObjectAnswer | ListAnswer;
