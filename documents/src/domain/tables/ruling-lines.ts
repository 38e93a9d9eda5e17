import type { Rule } from '../page-model.js';
import type { TableGround } from './grid.js';

/** A ruling line: where it stands across its direction, and from where to where it goes. */
export interface RulingLine {
  at: number;
  from: number;
  to: number;
}

export interface RulingLines {
  level: RulingLine[];
  upright: RulingLine[];
}

/** Lines that meet or nearly meet are one; what is neither level nor upright is none. */
export function rulingLines({ page, em }: TableGround): RulingLines {
  const near = em * 0.25;
  const level: RulingLine[] = [];
  const upright: RulingLine[] = [];
  for (const rule of page.rules) {
    const [x1, x2, y1, y2] = spread(rule, page.width, page.height);
    if (y2 - y1 <= near && x2 - x1 > y2 - y1) level.push({ at: (y1 + y2) / 2, from: x1, to: x2 });
    else if (x2 - x1 <= near) upright.push({ at: (x1 + x2) / 2, from: y1, to: y2 });
  }
  return { level: joined(level, near), upright: joined(upright, near) };
}

function spread({ x1, x2, y1, y2 }: Rule, width: number, height: number): [number, number, number, number] {
  return [x1 * width, x2 * width, y1 * height, y2 * height];
}

function joined(lines: readonly RulingLine[], near: number): RulingLine[] {
  const rows: RulingLine[][] = [];
  for (const line of [...lines].sort((a, b) => a.at - b.at)) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && line.at - row[0].at <= near) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => {
    const whole: RulingLine[] = [];
    for (const line of row.sort((a, b) => a.from - b.from)) {
      const last = whole.at(-1);
      if (last !== undefined && line.from <= last.to + near * 2) last.to = Math.max(last.to, line.to);
      else whole.push({ ...line });
    }
    return whole;
  });
}

/** Lines that hang together by crossings, as one net each. */
export function nets({ level, upright }: RulingLines, near: number): RulingLines[] {
  const parents = Array.from({ length: level.length + upright.length }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parents[root] !== root) root = parents[root] ?? root;
    for (let at = index; at !== root;) [at, parents[at]] = [parents[at] ?? root, root];
    return root;
  };
  level.forEach((row, rowIndex) => {
    upright.forEach((column, columnIndex) => {
      if (crosses(row, column, near)) parents[rootOf(rowIndex)] = rootOf(level.length + columnIndex);
    });
  });
  const found = new Map<number, RulingLines>();
  const netOf = (index: number): RulingLines => {
    const root = rootOf(index);
    const net = found.get(root) ?? { level: [], upright: [] };
    found.set(root, net);
    return net;
  };
  level.forEach((row, index) => netOf(index).level.push(row));
  upright.forEach((column, index) => netOf(level.length + index).upright.push(column));
  return [...found.values()];
}

const crosses = (row: RulingLine, column: RulingLine, near: number): boolean =>
  column.at >= row.from - near &&
  column.at <= row.to + near &&
  row.at >= column.from - near &&
  row.at <= column.to + near;

/** Places of lines, one for those that stand nearly together. */
export function edgesOf(lines: readonly RulingLine[], near: number): number[] {
  const edges: number[] = [];
  for (const { at } of [...lines].sort((a, b) => a.at - b.at)) {
    if (at - (edges.at(-1) ?? -Infinity) > near) edges.push(at);
  }
  return edges;
}
