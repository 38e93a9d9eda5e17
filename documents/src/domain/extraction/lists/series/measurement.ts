import type { Reading } from '../../model/reading.js';
import type { FigureColumn } from './column-header.js';
import type { Figure } from './figure-row.js';
import type { RowMatch } from './find-rows.js';
import { isOfStatement } from './find-rows.js';
import type { TableRow } from './figure-table.js';
import type { Measure } from './measure.js';
import type { SeriesIndex } from './series-index.js';

/** A figure that answers an item. */
export interface Measurement {
  row: TableRow;
  column: FigureColumn;
  figure: Figure;
  /** The time as reports call it. */
  period: string;
  quality: number;
}

/** How much worse than the best a row of another table may fit that gives further times. */
const NEARLY = 0.05;

/** The figures of the best row, and of further rows for times that it does not give. */
export function measurementsOf(
  measure: Measure,
  matches: readonly RowMatch[],
  index: SeriesIndex,
  reading: Reading,
): Measurement[] {
  const [best] = matches;
  if (best === undefined) return [];
  const found = new Map<string, Measurement>();
  const takesMore = measure.statement === 'income' || measure.statement === null;
  for (const match of takesMore ? matches : [best]) {
    if (match.quality < best.quality - NEARLY) continue;
    for (const one of figuresOf(measure, match, index, reading)) {
      if (!found.has(one.period)) found.set(one.period, one);
    }
  }
  return [...found.values()];
}

function figuresOf(measure: Measure, { row, quality }: RowMatch, index: SeriesIndex, reading: Reading): Measurement[] {
  const kind = measure.isGrowth ? 'change' : 'period';
  return [...row.cells].flatMap(([column, figure]): Measurement[] => {
    if (column.kind !== kind || !isOfStatement(column.period?.months, measure.statement)) return [];
    if (isPercent(column, figure, reading) !== (measure.isGrowth || measure.figure === 'percent')) return [];
    const period = periodSaid(column, index);
    return period === null || /^[a-z*/]+$/iu.test(figure.raw) ? [] : [{ row, column, figure, period, quality }];
  });
}

function isPercent({ percent }: FigureColumn, { unit, raw }: Figure, reading: Reading): boolean {
  return percent || raw.includes('%') || (unit !== null && reading.textOf([unit]).includes('%'));
}

/** By the fiscal years of the business where they are known, else as the header says it. */
function periodSaid({ period, header }: FigureColumn, { calendar }: SeriesIndex): string | null {
  if (period === null) return null;
  return calendar?.labelOf(period) ?? header.map(({ text }) => text).join(' ');
}
