import type { JsonObject } from '../../../../src/domain/json.js';
import type { RunDocument } from '../../domain/extraction/run/join-documents.js';
import type { ResultParts } from '../../domain/extraction/run/result-parts.js';
import type { Page, Table } from '../../domain/page-model.js';

/** A page, and where everything on it stands as it is kept: packed. */
export interface PackedPage {
  page: Omit<Page, 'words' | 'lines' | 'rules' | 'fields' | 'images' | 'tables' | 'warnings'>;
  details: Uint8Array;
}

/** What a thread is sent: a document with its pages and tables, further ones, and then the question. */
export type ThreadMessage =
  | { kind: 'document'; document: RunDocument; pageCount: number }
  | { kind: 'pages'; pages: PackedPage[] }
  | { kind: 'tables'; tables: Table[] }
  | { kind: 'extract'; schema: JsonObject; minConfidence: number | null };

/** What the engine came to. */
export interface ThreadResult {
  /** The blob with all parts. */
  blob: Uint8Array;
  parts: ResultParts;
  /** Whether every list has the rows that it should have. */
  isComplete: boolean;
  /** The first of them; all are in the result. */
  warnings: { code: string; message: string; pageNumber?: number }[];
}
