import type { ReadLine, Reading } from '../../model/reading.js';
import { columnsOf, readColumns, segmentsOf, type FigureColumn, type Segment } from './column-header.js';
import { givesYearsAlone, readFigureRow, type Figure, type FigureRow } from './figure-row.js';
import { speaksOfTime } from './period.js';
import { readScale, type Scale } from './scale.js';

/** A row with what stands above it. */
export interface TableRow extends FigureRow {
  /** The caption under which it stands, as `Earnings per share:`; empty where none does. */
  section: string;
  /** Its figures by their column. */
  cells: ReadonlyMap<FigureColumn, Figure>;
  table: FigureTable;
  /** Its line in the document. */
  number: number;
}

/** Rows of figures under one header. */
export interface FigureTable {
  pageNumber: number;
  /** Short lines above it, as the name of a statement. */
  title: string;
  columns: FigureColumn[];
  scale: Scale | null;
  rows: TableRow[];
}

/** Words of a line that may be a header or a caption. */
const SHORT = 16;
const PROSE = 12;
/** Lines of a title above a table. */
const TITLE = 8;
const INDENTED = 0.004;

/** All tables of figures of a document, by its lines alone. */
export function readFigureTables(reading: Reading): FigureTable[] {
  const reader = new TableReader(reading);
  for (const [number, line] of reading.lines.entries()) reader.take(line, number);
  return reader.finish();
}

type CaptionedRow = FigureRow & Pick<TableRow, 'section' | 'number'>;

interface Section {
  text: string;
  left: number;
  isIndented: boolean;
}

class TableReader {
  private readonly tables: FigureTable[] = [];
  private page = 0;
  /** Short lines above the rows. */
  private above: string[] = [];
  private title = '';
  private header: Segment[][] = [];
  /** Lines without figures since the last row. */
  private pending: ReadLine[] = [];
  private rows: CaptionedRow[] = [];
  private section: Section | null = null;
  private prose = 0;
  private scale: Scale | null = null;

  constructor(private readonly reading: Reading) {}

  take(line: ReadLine, number: number): void {
    if (line.pageNumber !== this.page) this.turnTo(line.pageNumber);
    this.scale = readScale(line, this.reading) ?? this.scale;
    const row = readFigureRow(line, this.reading);
    if (row !== null && !givesYearsAlone(row)) this.takeRow({ ...row, number });
    else if (this.isHeader(line)) this.takeHeader(line);
    else this.takeOther(line);
  }

  finish(): FigureTable[] {
    this.close();
    return this.tables;
  }

  private turnTo(page: number): void {
    this.close();
    Object.assign(this, { page, above: [], header: [], scale: null });
  }

  private isHeader({ text, ...line }: ReadLine): boolean {
    if (!speaksOfTime(text) || text.split(' ').length > SHORT || text.endsWith('.')) return false;
    const zone = this.zone();
    return segmentsOf({ text, ...line }, this.reading).some((one) => speaksOfTime(one.text) && one.right > zone);
  }

  /** Where the figures of the open table begin. */
  private zone(): number {
    return Math.min(1, ...this.rows.flatMap(({ figures }) => figures.map(({ left }) => left))) % 1;
  }

  private takeHeader(line: ReadLine): void {
    if (this.rows.length > 0) {
      const zone = this.zone();
      const kept = this.pending.filter(({ box }) => box[0] + box[2] > zone);
      this.close();
      this.header = kept.map((one) => segmentsOf(one, this.reading));
    }
    const segments = segmentsOf(line, this.reading);
    this.header.push(segments);
    const [first] = segments;
    if (first !== undefined && segments.length > 1 && !speaksOfTime(first.text)) this.open(first.text, first.left);
    this.remember(line.text);
  }

  private open(text: string, left: number): void {
    this.section = { text, left, isIndented: false };
  }

  private takeRow(row: FigureRow & { number: number }): void {
    this.prose = 0;
    if (this.rows.length === 0) this.title = this.above.splice(0).join('\n');
    const left = row.line.box[0];
    const wrapped = /^\p{Ll}/u.test(row.label) ? (this.pending.pop()?.text ?? '') : '';
    this.takeCaptions();
    if (this.section !== null && left > this.section.left + INDENTED) this.section.isIndented = true;
    else if (this.section?.isIndented === true) this.section = null;
    this.pending = [];
    this.rows.push({ ...row, label: `${wrapped} ${row.label}`.trim(), section: this.section?.text ?? '' });
  }

  /** The last short line at the left before a row is its caption. */
  private takeCaptions(): void {
    if (this.rows.length === 0 && this.pending.length === 0) return;
    const caption = this.pending.findLast(({ text }) => text.split(' ').length <= SHORT && !text.startsWith('('));
    if (caption !== undefined) this.open(caption.text, caption.box[0]);
  }

  private takeOther(line: ReadLine): void {
    const words = line.text.split(' ').length;
    if (words >= PROSE && line.box[2] > 0.5) this.prose += 1;
    else this.remember(line.text);
    if (this.prose < 2) {
      if (this.rows.length > 0) this.pending.push(line);
      else this.takeAbove(line);
      return;
    }
    this.close();
    this.header = [];
    this.above = [];
  }

  /** A line between title and figures: part of the header, or the caption of the first rows. */
  private takeAbove(line: ReadLine): void {
    this.pending.push(line);
    if (this.header.length > 0) this.header.push(segmentsOf(line, this.reading));
  }

  private remember(text: string): void {
    this.above = [...this.above, text].slice(-TITLE);
  }

  private close(): void {
    const { rows } = this;
    if (rows.length > 0) this.tables.push(this.tableOf(rows));
    Object.assign(this, { rows: [], pending: [], header: [], section: null, prose: 0 });
  }

  private tableOf(rows: readonly CaptionedRow[]): FigureTable {
    const columns = readColumns(columnsOf(rows.flatMap(({ figures }) => figures)), this.header);
    const { page: pageNumber, title, scale } = this;
    const table: FigureTable = { pageNumber, title, columns, scale, rows: [] };
    table.rows = rows.map((row) => ({ ...row, table, cells: cellsOf(row.figures, columns) }));
    return table;
  }
}

function cellsOf(figures: readonly Figure[], columns: readonly FigureColumn[]): Map<FigureColumn, Figure> {
  return new Map(
    figures.flatMap((figure) => {
      const column = columns.find(({ left, right }) => figure.right <= right && figure.right >= left);
      return column === undefined ? [] : [[column, figure]];
    }),
  );
}
