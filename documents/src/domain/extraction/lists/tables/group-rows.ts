import type { LeafTarget, ObjectTarget, Target } from '../../compile/target.js';
import type { Answer, ListAnswer, ObjectAnswer, ScalarAnswer } from '../../model/answer.js';
import { ABSENT, absent } from './cell-answer.js';
import type { Level, RowShape } from './row-shape.js';
import type { RowAnswers } from './table-rows.js';

/** What is made of an item whose values are known: lists that are not in the table are asked for elsewhere. */
export type OtherList = (list: Target & { kind: 'list' }) => ListAnswer;

type Leaves = ReadonlyMap<LeafTarget, ScalarAnswer>;

interface Group {
  leaves: Map<LeafTarget, ScalarAnswer>;
  groups: Group[];
  rows: { answers: RowAnswers; missing: number }[];
  /** By what its leaves say. */
  key: string;
}

/** Puts rows into their groups, by titles over them and by columns that say the same in several rows. */
export class RowGroups {
  private readonly root = newGroup('');
  /** What titles said last, for each level but that of the rows. */
  private readonly said: Map<LeafTarget, ScalarAnswer>[];
  private readonly outer: readonly Level[];
  private readonly lists: readonly Level[];

  constructor(
    { levels }: RowShape,
    private readonly otherList: OtherList,
  ) {
    this.outer = levels.slice(0, -1);
    this.lists = levels;
    this.said = this.outer.map(() => new Map<LeafTarget, ScalarAnswer>());
  }

  /** A title: what it says of a level holds for all that follows, and ends what was said of those inside. */
  title(answers: Leaves): void {
    this.outer.forEach(({ leaves }, level) => {
      const news = leaves.flatMap((leaf) => {
        const answer = answers.get(leaf);
        return answer === undefined || answer.value === null ? [] : [[leaf, answer] as const];
      });
      const said = this.said[level];
      if (said === undefined || news.length === 0) return;
      const isOther = news.some(([leaf, { value }]) => said.get(leaf)?.value !== value);
      if (!isOther) return;
      said.clear();
      for (const inside of this.said.slice(level + 1)) inside.clear();
      for (const [leaf, answer] of news) said.set(leaf, answer);
    });
  }

  row(answers: RowAnswers, missing: number): void {
    let group = this.root;
    this.outer.forEach(({ leaves }, level) => {
      const own = new Map(leaves.flatMap((leaf) => this.outerLeaf(leaf, level, answers)));
      group = groupOf(group, own, leaves);
    });
    group.rows.push({ answers, missing });
  }

  /** Of a leaf with a column the cell, and where it is empty that of the row above. */
  private outerLeaf(leaf: LeafTarget, level: number, { leaves }: RowAnswers): [LeafTarget, ScalarAnswer][] {
    const cell = leaves.get(leaf);
    const said = this.said[level];
    if (cell !== undefined && cell.value !== null) said?.set(leaf, cell);
    const answer = said?.get(leaf);
    return answer === undefined ? [] : [[leaf, answer]];
  }

  /** @param missingAtEnd rows behind the last one */
  list(missingAtEnd: number): { answer: ListAnswer; rows: number } {
    const built = this.listOf(this.root, 0);
    const last = lastList(built.answer, this.outer.length);
    if (last !== null) last.expectedRows = (last.expectedRows ?? last.items.length) + missingAtEnd;
    return built;
  }

  private listOf(group: Group, level: number): { answer: ListAnswer; rows: number } {
    const { list } = this.lists[level] ?? {};
    if (list === undefined) throw new TypeError('a shape has no such level');
    const isRows = level === this.lists.length - 1;
    const built = isRows ? [] : group.groups.map((inside) => this.listOf(inside, level + 1));
    const items: Answer[] = isRows
      ? group.rows.map(({ answers }) => this.itemOf(list.item, answers.leaves, null, answers))
      : group.groups.map((inside, at) => this.itemOf(list.item, inside.leaves, built[at]?.answer ?? null, null));
    const missing = group.rows.reduce((total, row) => total + row.missing, 0);
    const expectedRows = isRows ? items.length + missing : null;
    const rows = isRows ? items.length : built.reduce((total, one) => total + one.rows, 0);
    return { answer: { kind: 'list', items, expectedRows, method: null, missingPages: [] }, rows };
  }

  private itemOf(item: Target, leaves: Leaves, inner: ListAnswer | null, row: RowAnswers | null): Answer {
    if (item.kind === 'leaf') return leaves.get(item) ?? absent(ABSENT.noColumn);
    if (item.kind === 'object') return this.objectOf(item, leaves, inner, row);
    return this.otherList(item);
  }

  private objectOf(
    target: ObjectTarget,
    leaves: Leaves,
    inner: ListAnswer | null,
    row: RowAnswers | null,
  ): ObjectAnswer {
    const answerOf = (property: Target): Answer => {
      if (property.kind !== 'list') return this.itemOf(property, leaves, inner, row);
      const isInner = this.lists.some(({ list }) => list === property);
      if (isInner && inner !== null) return inner;
      return row?.marks.get(property) ?? this.otherList(property);
    };
    return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, answerOf(one)])) };
  }
}

function newGroup(key: string): Group {
  return { leaves: new Map(), groups: [], rows: [], key };
}

function groupOf(outer: Group, leaves: Map<LeafTarget, ScalarAnswer>, all: readonly LeafTarget[]): Group {
  const key = JSON.stringify(all.map((leaf) => leaves.get(leaf)?.value ?? null));
  const last = outer.groups.at(-1);
  if (last?.key === key) return last;
  const group = { ...newGroup(key), leaves };
  outer.groups.push(group);
  return group;
}

/** The list that holds the last row. */
function lastList(list: ListAnswer, depth: number): ListAnswer | null {
  if (depth === 0) return list;
  const last = list.items.at(-1);
  if (last?.kind !== 'object') return null;
  const inner = innerLists(last).find((one) => one.items.some(({ kind }) => kind === 'object'));
  return inner === undefined ? null : lastList(inner, depth - 1);
}

function innerLists({ properties }: ObjectAnswer): ListAnswer[] {
  return [...properties.values()].flatMap((one) =>
    one.kind === 'list' ? [one] : one.kind === 'object' ? innerLists(one) : [],
  );
}
