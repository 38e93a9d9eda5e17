import { describe, expect, it } from '@jest/globals';
import type { Table, TableCell } from '../page-model.js';
import { MAX_CHUNK } from './chunk-page.js';
import { chunkTable, tableByPage, type TableChunk } from './chunk-table.js';
import { PageWords } from './page-words.js';

const cellOf = (row: number, column: number, text: string, pageNumber = 1): TableCell => ({
  ...{ row, column, rowSpan: 1, columnSpan: 1, text, pageNumber },
  ...{ box: [0, 0, 1, 1], cell: `${'AB'[column]}${row + 1}` },
});

function chunksOf(rows: readonly (readonly string[])[], words = new PageWords([]), pageOf = (_row: number) => 1) {
  const cells = rows.flatMap((row, at) => row.map((text, column) => cellOf(at, column, text, pageOf(at))));
  const table: Table = {
    ...{ firstPage: 1, lastPage: 1, columns: 2, headerRows: 1, rows: rows.length, cells, boxes: [], found: 'sheet' },
  };
  return tableByPage(table).flatMap((part): TableChunk[] => [...chunkTable(part, words)]);
}

describe('the chunks of a table', () => {
  it('DI-019 have the header and up to 25 rows, and their place in the text of their page', () => {
    const rows = Array.from({ length: 60 }, (_, row) => [`port ${row}`, String(row)]);
    const box = [0, 0, 1, 1] as const;
    const words = [
      { from: 100, to: 107, cell: 'A2', box },
      { from: 400, to: 402, cell: 'B26', box },
    ];
    const chunks = chunksOf([['name', 'rate'], ...rows], new PageWords(words), (row) => (row <= 30 ? 1 : 2));
    expect(chunks.map(({ pageNumber, cellRange }) => [pageNumber, cellRange])).toEqual([
      [1, 'A2:B26'],
      [1, 'A27:B31'],
      [2, 'A32:B56'],
      [2, 'A57:B61'],
    ]);
    expect(chunks[0]).toMatchObject({ from: 100, to: 402 });
    for (const { body } of chunks) expect(body.startsWith('name | rate\nport ')).toBe(true);
  });

  it('are never longer than a vector takes, and hold all of a cell without an end', () => {
    const long = Array.from({ length: 9000 }, (_, at) => `word${at}`).join(' ');
    const chunks = chunksOf([
      ['h'.repeat(20_000), ''],
      ['first', long],
      ['y'.repeat(40_000), 'z'],
      ['last', 'one'],
    ]);
    for (const { body } of chunks) expect(body.length).toBeLessThanOrEqual(MAX_CHUNK);
    const text = chunks.map(({ body }) => body).join('\n');
    for (const word of ['word0', 'word4499', 'word8999', 'last | one']) expect(text).toContain(word);
    expect(text.match(/y/g)).toHaveLength(40_000);
  });
});
