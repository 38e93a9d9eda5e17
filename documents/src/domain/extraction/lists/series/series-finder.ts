import type { ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { ListFinder, ListProposal } from '../../model/list-finder.js';
import { findRows } from './find-rows.js';
import { measureOf } from './measure.js';
import { measurementsOf } from './measurement.js';
import { MeasurementWriter } from './measurement-writer.js';
import { seriesIndexOf } from './series-index.js';
import { seriesShapeOf } from './series-shape.js';

/**
 * Lists of measurements of one thing, as `total assets` at several times: the list names rows of the tables of a report, the items are their figures below
 * the times of the columns.
 */
export const seriesFinder: ListFinder = {
  name: 'series',
  find(list: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    const shape = seriesShapeOf(list);
    if (shape === null) return null;
    const index = seriesIndexOf(reading);
    const measure = measureOf(list);
    const inScope = index.rows.filter(({ row }) => row.number >= scope.from && row.number < scope.to);
    const matches = findRows(measure, inScope);
    const measurements = measurementsOf(measure, matches, index, reading);
    const [first] = measurements;
    if (first === undefined) return null;
    const writer = new MeasurementWriter({ shape, measure, index, reading });
    return {
      answer: {
        kind: 'list',
        items: measurements.map((one) => writer.item(one)),
        ...{ expectedRows: null, method: null, missingPages: [] },
      },
      likelihood: first.quality,
    };
  },
};
