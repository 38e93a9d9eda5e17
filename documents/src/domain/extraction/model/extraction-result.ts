import type { JsonObject } from '../../../../../src/domain/json.js';
import type { Page, WordSource } from '../../page-model.js';
import type { Signals } from './signals.js';
import type { NormalizerName } from '../values/normalizers.js';

/** A box as fractions of the displayed page, from its top left corner. */
export interface BoundingBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where a value stands; the service adds which document it is. */
export interface Citation {
  pageNumber: number;
  /** As printed in the document, where that differs. */
  pageLabel?: string;
  page: Pick<Page, 'width' | 'height' | 'unit' | 'rotation'>;
  /** One for each line. */
  boundingBoxes: BoundingBox[];
  /** At most 300 characters, verbatim from the text of the page; the lines of a value that stands in a column each on a line. */
  excerpt: string;
  /** Place of the value in the text of the page, `to` excluded. */
  charRange: { from: number; to: number };
  match: 'exact' | 'normalized' | 'fuzzy' | 'inferred';
  source: WordSource;
  sheetName?: string;
  cellRange?: string;
}

/** What is said of one leaf of the data. */
export interface ExtractedField {
  confidence: number;
  citations: Citation[];
  origin: 'local';
  raw: string | null;
  normalizedBy?: NormalizerName;
  signals: Signals;
  /** The label, heading or column that named it. */
  foundBy?: string;
}

/** Whether a list is whole. */
export interface ListCompleteness {
  /** JSON pointer of the list in the data. */
  path: string;
  returnedRows: number;
  expectedRows: number | null;
  method: 'table_rows' | 'numbering' | 'stated_total' | 'segments' | null;
  missingPages: number[];
  complete: boolean;
}

/** What one document says, in the shape of the schema. */
export interface ExtractedDocument {
  data: JsonObject;
  /** By JSON pointer into the data; every leaf, nulls too. */
  fields: Record<string, ExtractedField>;
  completeness: ListCompleteness[];
  warnings: { code: string; message: string; pageNumber?: number }[];
}
