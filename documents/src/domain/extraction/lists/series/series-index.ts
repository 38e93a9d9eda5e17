import type { Reading } from '../../model/reading.js';
import { readFigureTables, type FigureTable } from './figure-table.js';
import { nameRows, type NamedRow } from './find-rows.js';
import { fiscalCalendarOf, type FiscalCalendar } from './fiscal-calendar.js';
import type { Scale } from './scale.js';

/** What lists of measurements need of a document, made once. */
export interface SeriesIndex {
  tables: readonly FigureTable[];
  rows: readonly NamedRow[];
  calendar: FiscalCalendar | null;
  /** Of tables that say none themselves. */
  scale: Scale | null;
}

const MADE = new WeakMap<Reading, SeriesIndex>();

export function seriesIndexOf(reading: Reading): SeriesIndex {
  const made = MADE.get(reading);
  if (made !== undefined) return made;
  const tables = readFigureTables(reading);
  const index = { tables, rows: nameRows(tables), calendar: fiscalCalendarOf(reading), scale: commonScale(tables) };
  MADE.set(reading, index);
  return index;
}

/** The scale that most tables say, the first of equals. */
function commonScale(tables: readonly FigureTable[]): Scale | null {
  const counts = new Map<number, { scale: Scale; count: number }>();
  for (const { scale } of tables) {
    if (scale === null) continue;
    const counted = counts.get(scale.factor) ?? { scale, count: 0 };
    counts.set(scale.factor, { ...counted, count: counted.count + 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count)[0]?.scale ?? null;
}
