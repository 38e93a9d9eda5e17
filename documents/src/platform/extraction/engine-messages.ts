import type { JsonObject } from '../../../../src/domain/json.js';
import type { PageSpan, RunDocument } from '../../domain/extraction/run/join-documents.js';
import type { ResultParts } from '../../domain/extraction/run/result-parts.js';
import type { Page, Table } from '../../domain/page-model.js';

/** A page, and where everything on it stands as it is kept: packed. */
export interface PackedPage {
  page: Omit<Page, 'words' | 'lines' | 'rules' | 'fields' | 'images' | 'tables' | 'warnings'>;
  details: Uint8Array;
}

/** What an engine is sent: a document with its pages and tables, further ones, and then the question. */
export type EngineMessage =
  | { kind: 'document'; document: RunDocument; pageCount: number; asked: PageSpan }
  | { kind: 'pages'; pages: PackedPage[] }
  | { kind: 'tables'; tables: Table[] }
  | { kind: 'extract'; schema: JsonObject; minConfidence: number | null };

/** What it came to. */
export interface EngineResult {
  /** The blob with all parts. */
  blob: Uint8Array;
  parts: ResultParts;
  /** Whether every list has the rows that it should have. */
  isComplete: boolean;
  /** The first of them; all are in the result. */
  warnings: { code: string; message: string; pageNumber?: number }[];
}

/** What an engine answers, once. */
export type EngineAnswer =
  | { kind: 'result'; result: EngineResult }
  /** Where a fault of the engine happened; without its message, which may hold words of the document. */
  | { kind: 'fault'; isFull: boolean; at: string[] };
