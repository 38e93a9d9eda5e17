import { median } from '../../../layout/text-run.js';
import type { ColumnOfLeaf } from './assign-columns.js';
import { cellOf, isNumeric, type FoundRow, type FoundTable } from './found-table.js';
import type { Reading } from '../../model/reading.js';

/** What a row is: an item; a line over others; a sum or what is carried to another page; the header again; what cannot be read; something else. */
export type RowKind = 'item' | 'title' | 'total' | 'header' | 'unreadable' | 'note';

const TOTAL =
  /^\W*(?:(?:grand|sub|net|gross|sous|page|group)[\s-]*)?(?:total|subtotal|sum|totals|totaal|subtotaal|totale|totaux|suma|somme|summe|zwischensumme|gesamt|gesamtsumme|gesamtbetrag|endbetrag|endsumme|nettobetrag|rechnungsbetrag|balance|amount due)\b/iu;
const TAX = /^\W*(?:tax|vat|gst|sales tax|tva|iva|mwst|ust|btw|moms|shipping|freight|discount|rabatt|versand)\b/iu;
const CARRIED =
  /\b(?:carried|brought) (?:forward|over)\b|\bcontinued\b|\bübertrag\b|\bà reporter\b|^\W*transport\W*$/iu;
const UNREADABLE = 0.5;

/** Whether a text names a sum. */
export function isSum(text: string): boolean {
  return TOTAL.test(text) || CARRIED.test(text) || / tot(?:al|aal|ale)\b/iu.test(text);
}

/** Whether a text names what is charged on top of the rows, or taken off them. */
export function isCharge(text: string): boolean {
  return TAX.test(text);
}

/** A row with what it is. */
export interface KnownRow {
  row: FoundRow;
  kind: RowKind;
}

/** Rows with what they are, by the columns that hold leaves. */
export class RowKinds {
  private readonly columns: readonly ColumnOfLeaf[];
  /** Columns that nearly every row fills. */
  private readonly keys: ReadonlySet<number>;
  private readonly usual: number;
  private readonly isRowBold: boolean;
  /** The column in which rows begin. */
  private readonly left: number;

  constructor(
    private readonly table: FoundTable,
    assigned: readonly ColumnOfLeaf[],
    private readonly reading: Reading,
  ) {
    this.columns = assigned;
    const rows = table.blocks.flatMap((block) => block.rows).filter((row) => row.cells.length >= 2);
    const most = Math.max(0, ...rows.map((row) => this.filled(row)));
    this.usual = median(rows.map((row) => this.filled(row)).filter((count) => count * 5 >= most * 3));
    const full = rows.filter((row) => this.filled(row) >= this.usual);
    this.left = Math.min(...full.flatMap(({ cells }) => cells.slice(0, 1).map(({ column }) => column)));
    this.keys = new Set(
      assigned.flatMap(({ column }) => {
        const share = full.filter((row) => cellOf(row, column) !== undefined).length / Math.max(1, full.length);
        return share >= 0.85 ? [column] : [];
      }),
    );
    this.isRowBold = full.filter(({ bold }) => bold).length * 2 > full.length;
  }

  /** Each row with what it is, in order: what follows a sum without being a whole row is of the same kind. */
  known(): KnownRow[] {
    let isBehindSum = false;
    return this.table.blocks.flatMap(({ rows }) => {
      isBehindSum = false;
      return rows.map((row): KnownRow => {
        const kind = this.of(row);
        if (kind === 'total') isBehindSum = true;
        if (kind === 'item' && this.lacking(row) * 3 < this.keys.size) isBehindSum = false;
        return { row, kind: isBehindSum && kind !== 'total' && kind !== 'title' ? 'note' : kind };
      });
    });
  }

  private of(row: FoundRow): RowKind {
    if (this.isHeader(row)) return 'header';
    if (this.isTotal(row)) return 'total';
    const [only, ...others] = row.cells;
    if (only !== undefined && others.length === 0 && this.columns.length > 1) {
      return only.column <= this.left || row.isWide ? 'title' : 'note';
    }
    const filled = this.filled(row);
    if (row.isOdd) return filled * 5 >= this.usual * 3 && filled > 1 ? 'unreadable' : 'note';
    if (filled < Math.min(2, this.columns.length)) return 'note';
    return this.lacking(row) * 2 <= this.keys.size && this.isReadable(row) ? 'item' : 'unreadable';
  }

  /** How many of the columns that nearly every row fills it leaves empty. */
  private lacking(row: FoundRow): number {
    return [...this.keys].filter((column) => cellOf(row, column) === undefined).length;
  }

  private filled(row: FoundRow): number {
    return this.columns.filter(({ column }) => cellOf(row, column) !== undefined).length;
  }

  private isHeader({ cells }: FoundRow): boolean {
    const same = cells.filter(({ column, text }) => {
      const header = this.table.columns[column]?.header.toLowerCase();
      return header !== undefined && header !== '' && header.includes(text.toLowerCase());
    });
    return cells.length >= 2 && same.length * 5 >= cells.length * 4;
  }

  private isTotal(row: FoundRow): boolean {
    const texts = row.cells.filter(({ text }) => !isNumeric(text)).map(({ text }) => text);
    const lacking = this.lacking(row);
    const isEmphatic = row.bold && !this.isRowBold;
    if (lacking === 0 && !isEmphatic) return false;
    if (texts.some((text) => TOTAL.test(text) || CARRIED.test(text))) return true;
    if (lacking * 2 < this.keys.size) return false;
    return texts.some((text) => isCharge(text) || isSum(text));
  }

  /** Its words were recognized, and most of its cells are values of what their columns hold. */
  private isReadable(row: FoundRow): boolean {
    const words = row.cells.flatMap(({ ranges }) => ranges.flatMap((range) => this.reading.wordsOf(range)));
    const read = words.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, words.length);
    if (read < UNREADABLE) return false;
    const cells = this.columns.flatMap(({ column, values }) => {
      const cell = cellOf(row, column);
      return cell === undefined ? [] : [values.read(cell.text) !== null];
    });
    return cells.filter(Boolean).length * 2 >= cells.length;
  }
}
