/**
 * The one page model: what every parser says of a page, whether of a PDF, a picture, a sheet or a text. It is made inside the jail,
 * kept by the pipeline, searched and cited.
 *
 * Boxes are fractions of the page as it is displayed (after its rotation), from its top left corner: `[x, y, width, height]`, each 0…1.
 */
export type Box = readonly [x: number, y: number, width: number, height: number];

export const PARSED_KINDS = ['pdf', 'image', 'spreadsheet', 'text'] as const;

/** What a document is, by its bytes; `other` is kept and not read. */
export type DocumentKind = (typeof PARSED_KINDS)[number] | 'other';

/** How a word came to be known. */
export type WordSource = 'text_layer' | 'ocr' | 'cell' | 'form_field';

export interface Word {
  text: string;
  box: Box;
  /** Place of the word in `PageText.text`. */
  from: number;
  to: number;
  source: WordSource;
  /** Recognition confidence 0…1; 0.99 for a text layer, 1 for cells. */
  confidence: number;
  /** In points; absent where it is not known. */
  fontSize?: number;
  bold?: boolean;
  /** Address of the cell such as `C7`, of sheets alone. */
  cell?: string;
}

/** Words that stand on one line, as indexes into `Page.words`. */
export interface Line {
  first: number;
  last: number;
  box: Box;
}

/** A ruling line, horizontal or vertical. */
export interface Rule {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface FormField {
  name: string;
  kind: 'text' | 'checkbox' | 'radio' | 'choice' | 'signature';
  value: string | null;
  box: Box;
}

/** A cell of a table. `row` and `column` count from 0, the header rows first. */
export interface TableCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  text: string;
  pageNumber: number;
  box: Box;
  /** Address of the cell such as `C7`, of sheets alone. */
  cell?: string;
}

/** A table, which may go on over several pages. */
export interface Table {
  firstPage: number;
  lastPage: number;
  columns: number;
  /** Number of leading rows that are header. */
  headerRows: number;
  rows: number;
  cells: TableCell[];
  /** The part of the table on each of its pages. */
  boxes: { pageNumber: number; box: Box }[];
  /** How it was found. */
  found: 'ruled' | 'aligned' | 'sheet';
  sheetName?: string;
  cellRange?: string;
}

export interface Page {
  /** From 1. */
  pageNumber: number;
  /** As printed in the document, where that differs. */
  label?: string;
  /** Displayed size in `unit`. */
  width: number;
  height: number;
  unit: 'pt' | 'px' | 'cell';
  rotation: 0 | 90 | 180 | 270;
  sheetName?: string;
  /** Words of a line joined by one blank, lines by a line feed; NFC. */
  text: string;
  source: 'text_layer' | 'ocr' | 'mixed' | 'cell';
  /** Mean confidence of the words that were recognized, 0…1; null when none was. */
  ocrConfidence: number | null;
  words: Word[];
  lines: Line[];
  rules: Rule[];
  fields: FormField[];
  /** Where pictures are. */
  images: Box[];
  /** Tables that lie on this page alone; those over several pages are joined afterwards. */
  tables: Table[];
  warnings: Warning[];
}

/** Something to know of a document that did not keep it from being read. */
export interface Warning {
  /** A closed word such as `scripts_ignored`. */
  code: string;
  message: string;
  pageNumber?: number;
}

/** What opening a document tells, before its pages are read. */
export interface Inspection {
  kind: DocumentKind;
  contentType: string;
  /** Null where it is known only after reading, as of texts. */
  pageCount: number | null;
  warnings: Warning[];
}

/** Which limit ended a program in the jail. */
export type JailLimit =
  | 'wall_time'
  | 'cpu_time'
  | 'memory'
  | 'processes'
  | 'open_files'
  | 'written_bytes'
  | 'output'
  | 'pages'
  | 'objects'
  | 'inflated_bytes'
  | 'filter_layers'
  | 'entries'
  | 'entry_bytes'
  | 'archive_bytes'
  | 'compression_ratio'
  | 'pixels'
  | 'frames'
  | 'nested_archive'
  | 'entities'
  | 'cells'
  | 'line_bytes';

/** Why a document, or pages of it, could not be read. */
export type ParseFailure =
  | { kind: 'limit'; limit: JailLimit; message: string }
  | { kind: 'password_required'; message: string }
  | { kind: 'broken'; message: string }
  | { kind: 'unsupported'; message: string }
  | { kind: 'crashed'; message: string };
