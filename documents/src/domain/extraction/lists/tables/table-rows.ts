import type { LeafTarget, ListTarget } from '../../compile/target.js';
import type { Answer, ListAnswer, ScalarAnswer } from '../../model/answer.js';
import type { Reading, WordRange } from '../../model/reading.js';
import { BRACKETED, type ColumnOfLeaf } from './assign-columns.js';
import { ABSENT, absent, cellAnswer } from './cell-answer.js';
import { CellValues } from './cell-values.js';
import type { FoundCell, FoundRow, FoundTable } from './found-table.js';

/** What a row says: its leaves, and marks such as `WR` or `new` that stand in a cell of it. */
export interface RowAnswers {
  leaves: Map<LeafTarget, ScalarAnswer>;
  marks: Map<ListTarget, ListAnswer>;
}

/** Reads the rows of a table. */
export class RowReader {
  constructor(
    private readonly columns: readonly ColumnOfLeaf[],
    private readonly marks: readonly ListTarget[],
    private readonly table: FoundTable,
    private readonly reading: Reading,
  ) {}

  read(row: FoundRow): RowAnswers {
    const marks = new Map<ListTarget, ListAnswer>();
    const cells = new Map(row.cells.map((cell) => [cell.column, cell]));
    for (const list of this.marks) marks.set(list, this.marksOf(list, cells));
    const leaves = new Map<LeafTarget, ScalarAnswer>();
    for (const one of this.columns) {
      const cell = cells.get(one.column);
      leaves.set(one.leaf, this.leafOf(one, one.part === undefined ? cell : partOfCell(cell, one.part, this.reading)));
    }
    return { leaves, marks };
  }

  private leafOf({ values, column, score }: ColumnOfLeaf, cell: FoundCell | undefined): ScalarAnswer {
    if (cell === undefined || isDash(cell.text)) return absent(ABSENT.emptyCell);
    const foundBy = this.table.columns[column]?.header ?? '';
    const printed = { values, raw: cell.text, at: cell.ranges, find: Math.min(1, score), foundBy };
    return cellAnswer({ ...printed, isCell: this.table.found === 'sheet' }, this.reading) ?? absent(ABSENT.unlikeValue);
  }

  /** Words that are nothing but values of a closed list; they are taken out of their cell. */
  private marksOf(list: ListTarget, cells: Map<number, FoundCell>): ListAnswer {
    const items: Answer[] = [];
    const { item } = list;
    const values = item.kind === 'leaf' ? item.node.rules.flatMap((rule) => rule.values ?? []) : [];
    const known = new Set(values.filter((value) => typeof value === 'string'));
    if (item.kind === 'leaf' && known.size > 0) {
      const found = new CellValues(item, []);
      for (const [column, cell] of cells) {
        const rest = this.withoutMarks(cell, known, (raw, at) => {
          const printed = {
            values: found,
            raw,
            at: [at],
            find: 0.7,
            foundBy: 'mark',
            isCell: this.table.found === 'sheet',
          };
          const answer = cellAnswer(printed, this.reading);
          if (answer !== null) items.push(answer);
        });
        if (rest === null) cells.delete(column);
        else cells.set(column, rest);
      }
    }
    return { kind: 'list', items, expectedRows: null, method: null, missingPages: [] };
  }

  private withoutMarks(
    cell: FoundCell,
    known: ReadonlySet<string>,
    take: (raw: string, at: WordRange) => void,
  ): FoundCell | null {
    const ranges: WordRange[] = [];
    const texts: string[] = [];
    for (const { pageNumber, first, last } of cell.ranges) {
      for (const [index, word] of this.reading.wordsOf({ pageNumber, first, last }).entries()) {
        const at = first + index;
        const pieces = word.text.split(/[-/,;+&]/u).filter((piece) => piece !== '');
        if (pieces.length > 0 && pieces.every((piece) => known.has(piece))) {
          for (const piece of pieces) take(piece, { pageNumber, first: at, last: at });
          continue;
        }
        const before = ranges.at(-1);
        if (before?.pageNumber === pageNumber && before.last === at - 1 && at > first) before.last = at;
        else ranges.push({ pageNumber, first: at, last: at });
        texts.push(word.text);
      }
    }
    return texts.length === 0 ? null : { ...cell, ranges, text: texts.join(' ') };
  }
}

/** Of `[A-17] Lamp` the code in brackets, or what stands behind it. */
function partOfCell(cell: FoundCell | undefined, part: 'code' | 'behind', reading: Reading): FoundCell | undefined {
  const [range, ...others] = cell?.ranges ?? [];
  const [word] = range === undefined ? [] : reading.wordsOf(range);
  const code = BRACKETED.exec(word?.text ?? '')?.[1];
  if (cell === undefined || range === undefined) return undefined;
  if (code === undefined) return part === 'code' ? undefined : cell;
  if (part === 'code') return { ...cell, ranges: [{ ...range, last: range.first }], text: code };
  const rest = range.last > range.first ? [{ ...range, first: range.first + 1 }, ...others] : others;
  return rest.length === 0 ? undefined : { ...cell, ranges: rest, text: reading.textOf(rest) };
}

/** A dash or two dots stand for nothing. */
function isDash(text: string): boolean {
  return /^(?:[-–—.]{1,3}|n\/a|none)$/iu.test(text);
}
