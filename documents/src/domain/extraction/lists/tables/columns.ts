import { partOf, type Part, type PrintedLine } from './printed-lines.js';
import { isNumeric } from './found-table.js';
import type { HeaderCell } from './table-headers.js';
import type { Reading } from '../../model/reading.js';

/** A cell of a line, and whether its text reaches over the next column. */
export interface CutPart {
  column: number;
  part: Part;
  isWide: boolean;
}

/** A name is divided where next to no text of the rows stands, between texts of this share of them. */
const DIVIDED = { crossed: 0.1, beside: 0.3 };
/** What a border costs at the far end of the names that it parts, where one that every row crosses costs 1. */
const ASIDE = 0.3;
/** A gap inside a text at which it may be cut, of those that part columns. */
const CUT_GAP = 0.75;

/** Where the columns of a table are, by its header and by what stands below. */
export class Columns {
  readonly cells: readonly HeaderCell[];
  /** Between two columns each. */
  readonly borders: readonly number[];

  constructor(header: readonly HeaderCell[], lines: readonly PrintedLine[], reading: Reading) {
    const profile = new Profile(lines);
    this.cells = header.flatMap((cell) => profile.divided(cell, reading));
    this.borders = this.cells.slice(1).map((cell, at) => profile.border(this.cells[at] ?? cell, cell));
  }

  /** The texts of a line with their columns, from left to right. */
  cut(line: PrintedLine, reading: Reading): CutPart[] {
    return line.parts.flatMap((part) => this.pieces(part, line.gap * CUT_GAP, reading));
  }

  private pieces(part: Part, gap: number, reading: Reading): CutPart[] {
    const crossed = this.borders.filter((border) => border > part.left && border < part.right);
    if (crossed.length === 0) return [{ column: this.columnAt((part.left + part.right) / 2), part, isWide: false }];
    const at = this.placeToCut(part, crossed, gap, reading);
    if (at !== null) {
      const page = reading.page(part.pageNumber);
      const [left, right] = [partOf(page, { ...part, last: at - 1 }), partOf(page, { ...part, first: at })];
      return [...this.pieces(left, gap, reading), ...this.pieces(right, gap, reading)];
    }
    // Texts begin in their column, numbers end in it.
    const column = this.columnAt(isNumeric(part.text) ? part.right - 0.1 : part.left + 0.1);
    return [{ column, part, isWide: crossed.length > 1 }];
  }

  /** The first word behind a border, where a gap is there; null where the text goes over all of them. */
  private placeToCut(part: Part, crossed: readonly number[], gap: number, reading: Reading): number | null {
    const page = reading.page(part.pageNumber);
    for (let at = part.first + 1; at <= part.last; at++) {
      const [before, word] = [page.words[at - 1], page.words[at]];
      if (before === undefined || word === undefined) continue;
      const [from, to] = [(before.box[0] + before.box[2]) * page.width, word.box[0] * page.width];
      const isThere = crossed.some((border) => border >= from && border <= to);
      if (isThere && (to - from > gap || isNumeric(word.text) !== isNumeric(before.text))) return at;
    }
    return null;
  }

  private columnAt(place: number): number {
    const at = this.borders.findIndex((border) => border > place);
    return at < 0 ? this.borders.length : at;
  }
}

/** How many texts of some lines lie over each place of the width of a page. */
class Profile {
  private readonly counts: Int32Array;
  private readonly lines: number;

  constructor(lines: readonly PrintedLine[]) {
    const parts = lines.flatMap((line) => line.parts);
    const width = Math.ceil(Math.max(1, ...parts.map(({ right }) => right))) + 2;
    this.counts = new Int32Array(width + 1);
    this.lines = lines.length;
    for (const { left, right } of parts) {
      const [from, to] = [Math.max(0, Math.floor(left)), Math.ceil(right)];
      this.counts[from] = (this.counts[from] ?? 0) + 1;
      this.counts[to] = (this.counts[to] ?? 0) - 1;
    }
    for (let at = 1; at <= width; at++) this.counts[at] = (this.counts[at] ?? 0) + (this.counts[at - 1] ?? 0);
  }

  private at(place: number): number {
    return this.counts[Math.max(0, Math.round(place))] ?? 0;
  }

  private most(from: number, to: number): number {
    let most = 0;
    for (let at = Math.floor(from); at <= to; at++) most = Math.max(most, this.at(at));
    return most;
  }

  /** Between two names: where the fewest texts are, rather between the names than below one of them; in the middle of that stretch. */
  border(before: HeaderCell, after: HeaderCell): number {
    const [from, to] = [
      Math.round(before.left) + 1,
      Math.max(Math.round(before.left) + 2, Math.round(after.right) - 1),
    ];
    const costs = Array.from({ length: to - from }, (_, at) => {
      const place = from + at;
      const aside = Math.max(0, before.right - place, place - after.left) / (to - from);
      return this.at(place) / Math.max(1, this.lines) + aside * ASIDE;
    });
    const least = Math.min(...costs);
    let best: [from: number, to: number] = [0, -1];
    for (let at = 0; at < costs.length; at++) {
      const start = at;
      while (at < costs.length && (costs[at] ?? Infinity) <= least + 0.03) at += 1;
      if (at - start > best[1] - best[0]) best = [start, at];
    }
    return from + (best[0] + best[1] - 1) / 2;
  }

  /** A name whose words stand over several columns, as several names. */
  divided(cell: HeaderCell, reading: Reading): HeaderCell[] {
    const [only] = cell.parts;
    if (only === undefined || cell.parts.length > 1 || only.first === only.last) return [cell];
    const page = reading.page(only.pageNumber);
    const cuts: number[] = [];
    for (let at = only.first + 1; at <= only.last; at++) {
      const [before, word] = [page.words[at - 1], page.words[at]];
      if (before === undefined || word === undefined) continue;
      const [left, right] = [(before.box[0] + before.box[2]) * page.width, word.box[0] * page.width];
      const free = this.at((left + right) / 2) <= this.lines * DIVIDED.crossed;
      const needed = this.lines * DIVIDED.beside;
      const start = cuts.at(-1) ?? only.first;
      const from = (page.words[start]?.box[0] ?? 0) * page.width;
      const to = (word.box[0] + word.box[2]) * page.width;
      if (free && this.most(from, left - 1) >= needed && this.most(right + 1, to) >= needed) cuts.push(at);
    }
    return [only.first, ...cuts].map((first, index) => {
      const part = partOf(page, { ...only, first, last: (cuts[index] ?? only.last + 1) - 1 });
      return { left: part.left, right: part.right, parts: [part] };
    });
  }
}
