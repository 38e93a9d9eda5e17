import { leavesOf, listsOf, type LeafTarget, type ListTarget } from '../../compile/target.js';

/** A list whose items are groups of rows, or the rows themselves. */
export interface Level {
  list: ListTarget;
  /** Leaves of an item that stand in no list of it. */
  leaves: readonly LeafTarget[];
}

/** How the lists of a schema may stand in a table: the last level is its rows, those before are groups of them, the outermost first. */
export interface RowShape {
  levels: readonly Level[];
  /** Leaves of all levels, those of the rows first. */
  leaves: readonly LeafTarget[];
  /** Lists of single values that a row holds, as marks in one of its cells. */
  marks: readonly ListTarget[];
}

/** Groups of groups, and no deeper. */
const DEEPEST = 3;

/** Every way in which the items of a list may be rows, the plainest first. */
export function rowShapes(list: ListTarget, outer: readonly Level[] = []): RowShape[] {
  const { item } = list;
  if (item.kind === 'list') return [];
  const leaves = item.kind === 'leaf' ? [item] : leavesOf(item);
  const inner = item.kind === 'leaf' ? [] : listsOf(item);
  const levels = [...outer, { list, leaves }];
  const isOfObjects = (one: ListTarget): boolean => one.item.kind === 'object';
  const own: RowShape = {
    levels,
    leaves: [...levels].reverse().flatMap((level) => level.leaves),
    marks: inner.filter((one) => one.item.kind === 'leaf'),
  };
  const deeper = levels.length >= DEEPEST ? [] : inner.filter(isOfObjects).flatMap((one) => rowShapes(one, levels));
  return leaves.length === 0 ? deeper : [own, ...deeper];
}

/** The leaves of the rows themselves. */
export function rowLeaves({ levels }: RowShape): readonly LeafTarget[] {
  return levels.at(-1)?.leaves ?? [];
}
