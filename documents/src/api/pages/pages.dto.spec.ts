import { describe, expect, it } from '@jest/globals';
import type { ReadVersion } from '../../core/pages/read-version.js';
import type { Table } from '../../domain/page-model.js';
import { viewTable } from './pages.dto.js';

const OF = { version: { id: 'v', version: 1 }, parseId: 'p' } as ReadVersion;

describe('a table as it is answered', () => {
  const cell = { row: 0, column: 0, rowSpan: 1, columnSpan: 1, text: 'x', pageNumber: 1, box: [0, 0, 1, 1] as const };
  const table: Table = {
    ...{ firstPage: 1, lastPage: 1, columns: 2, headerRows: 1, rows: 2, cells: [cell], boxes: [], found: 'sheet' },
  };

  it('has a place for each row and column', () => {
    expect(viewTable(OF, 1, table)).toMatchObject({ header: [['x', '']], rows: [['', '']] });
  });

  it('is refused rather than written out when its grid is out of proportion to its cells', () => {
    const sparse = {
      ...table,
      rows: 1_000_000,
      columns: 16_000,
      cells: [cell, { ...cell, row: 999_999, column: 15_999 }],
    };
    expect(() => viewTable(OF, 7, sparse)).toThrow(/table 7 .* cannot be answered; reprocess/);
  });
});
