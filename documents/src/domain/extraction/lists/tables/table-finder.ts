import type { ListAnswer, ScalarAnswer } from '../../model/answer.js';
import type { LeafTarget, ListTarget, ObjectTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { AnswerObject, ListFinder } from '../../model/list-finder.js';
import { seriesShapeOf } from '../series/series-shape.js';
import { rowColumns } from './assign-columns.js';
import { type Candidate, likeliestTable } from './likeliest-table.js';
import { byNumbering, byPlaces, type MissingRows, sum } from './count-rows.js';
import { RowGroups } from './group-rows.js';
import { GroupTitles } from './group-titles.js';
import { missingPages } from './missing-pages.js';
import { type KnownRow, RowKinds } from './row-kinds.js';
import { statedTotal } from './stated-total.js';
import { RowReader } from './table-rows.js';

/** Lists that are printed as tables: a property is a column, an item a row, and an item with a list in it a group of rows. */
export const tableFinder: ListFinder = {
  name: 'table',
  find(list, scope, reading, answer) {
    const best = likeliestTable(list, scope, reading);
    if (best === null || !givesValues(best, list)) return null;
    const found = new TableList(best, scope, reading, answer).answer();
    return found === null ? null : { answer: found, likelihood: best.likelihood };
  },
};

/** A list of measurements is a table only where that has a column for what was measured. */
function givesValues({ columns }: Candidate, list: ListTarget): boolean {
  const roles = seriesShapeOf(list)?.roles;
  return roles === undefined || columns.some(({ leaf }) => roles.get(leaf) === 'value');
}

/** Makes the list of a table. */
class TableList {
  private readonly rows: KnownRow[];

  constructor(
    private readonly best: Candidate,
    private readonly scope: Scope,
    private readonly reading: Reading,
    private readonly answerObject: AnswerObject,
  ) {
    const { table, shape, columns } = best;
    this.rows = new RowKinds(table, rowColumns(shape, columns), reading).known();
  }

  answer(): ListAnswer | null {
    const items = this.rows.filter(({ kind }) => kind === 'item').map(({ row }) => row);
    if (items.length === 0) return null;
    const { table, shape } = this.best;
    const missing = this.missing(items.length);
    const { answer } = this.grouped(missing);
    const returned = items.length;
    const expected = returned + sum(missing);
    const isFlat = shape.levels.length === 1;
    return {
      ...answer,
      expectedRows: isFlat ? expected : answer.expectedRows,
      method: isFlat ? missing.method : null,
      missingPages: table.found === 'sheet' ? [] : missingPages(items, this.reading),
    };
  }

  /** The way that misses most rows: each sees only some of what may be missing. */
  private missing(returned: number): MissingRows {
    const items = this.rows.filter(({ kind }) => kind === 'item').map(({ row }) => row);
    const { table, shape } = this.best;
    const numbering = table.found === 'sheet' ? null : byNumbering(items, table);
    const places: MissingRows =
      table.found === 'sheet'
        ? { method: 'table_rows', before: new Array<number>(returned + 1).fill(0) }
        : byPlaces(this.rows);
    const found = numbering !== null && sum(numbering) >= sum(places) ? numbering : places;
    const [first, last] = [this.rows[0]?.row, this.rows.at(-1)?.row];
    const { list } = shape.levels.at(-1) ?? {};
    if (list === undefined || first === undefined || last === undefined) return found;
    const stated = statedTotal(list, { from: first.from, to: last.to }, this.scope, this.reading);
    if (stated.length === 0) return found;
    const total = stated.includes(returned) ? returned : Math.max(...stated);
    if (total < returned + sum(found)) return found;
    const before = [...found.before];
    before[before.length - 1] = (before.at(-1) ?? 0) + total - returned - sum(found);
    return { method: 'stated_total', before };
  }

  private grouped({ before }: MissingRows): { answer: ListAnswer; rows: number } {
    const { table, shape, columns } = this.best;
    const inColumns = new Set(columns.map(({ leaf }) => leaf));
    const outer = shape.levels.slice(0, -1).flatMap(({ leaves }) => leaves.filter((leaf) => !inColumns.has(leaf)));
    const titles = new GroupTitles(outer, this.reading);
    const reader = new RowReader(columns, shape.marks, table, this.reading);
    const groups = new RowGroups(shape, (list) => this.otherList(list));
    let [at, item] = [0, 0];
    for (const { above, rows } of table.blocks) {
      groups.title(this.titleAnswers(titles, outer, above, false));
      for (const row of rows) {
        const kind = this.rows[at]?.kind;
        at += 1;
        if (kind === 'title') groups.title(titles.answers(row, true));
        if (kind !== 'item') continue;
        groups.row(reader.read(row), before[item] ?? 0);
        item += 1;
      }
    }
    return groups.list(before[item] ?? 0);
  }

  /** What stands over a header may say more of the group than words with a colon. */
  private titleAnswers(
    titles: GroupTitles,
    outer: readonly LeafTarget[],
    above: Scope,
    isTitle: boolean,
  ): Map<LeafTarget, ScalarAnswer> {
    const found = titles.answers(above, isTitle);
    const open = outer.filter((leaf) => !found.has(leaf));
    if (open.length === 0 || above.from >= above.to) return found;
    const target = objectOf(open);
    for (const [name, one] of this.answerObject(target, above).properties) {
      const leaf = open[Number(name)];
      if (leaf !== undefined && one.kind === 'scalar' && one.value !== null) found.set(leaf, one);
    }
    return found;
  }

  /** A list of an item that is not in the table: nothing is said of it here. */
  private otherList(_list: ListTarget): ListAnswer {
    return { kind: 'list', items: [], expectedRows: null, method: null, missingPages: [] };
  }
}

/** Some leaves as an object of their own, each named by its place. */
function objectOf(leaves: readonly LeafTarget[]): ObjectTarget {
  const node = { kind: 'object', description: '', nullable: false, properties: [] } as const;
  return {
    ...{ kind: 'object', path: '', name: '', description: '', labels: [], nullable: false },
    node: { ...node, properties: [...node.properties] },
    properties: leaves.map((leaf, at) => ({ ...leaf, name: String(at) })),
  };
}
