import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { IngestDependencies } from '../../../src/activities/ingest-dependencies.js';
import type { ParseRef } from '../../../src/activities/ingest-steps.js';
import { indexVersion } from '../../../src/activities/index-version.js';
import { joinPageTables } from '../../../src/activities/join-page-tables.js';
import { beginIngest, openParse } from '../../../src/core/ingest/ingest-moves.js';
import { writePageDetails } from '../../../src/core/pages/page-details.js';
import { writePages } from '../../../src/core/pages/write-pages.js';
import type { RecordTransaction } from '../../../src/core/record/record.js';
import type { Page, Table, Word } from '../../../src/domain/page-model.js';
import { FsBlobStore } from '../../../src/platform/blobs/fs-blob-store.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization, type PlantedOrganization } from '../../support/database/plant-organization.js';
import { plantVersion } from '../../support/documents/plant-version.js';

const MIB = 1024 * 1024;
const MAX_STATEMENT_BYTES = 16 * MIB;

/** A sheet whose rows hold a word of their own and much that nobody looks for. */
function sheet(pageNumber: number, rows: number): Page {
  const words: Word[] = [];
  const cells = Array.from({ length: rows }, (_, row) => {
    const text = `lighthouse${pageNumber}x${row} ${'9a'.repeat(10_000)}`;
    const [box, cell] = [[0, row / rows, 1, 1 / rows] as const, `A${row + 1}`];
    words.push({ text: text.slice(0, 20), box, from: row, to: row + 1, source: 'cell', confidence: 1, cell });
    return { row, column: 0, rowSpan: 1, columnSpan: 1, text, pageNumber, box, cell };
  });
  const table: Table = {
    ...{ firstPage: pageNumber, lastPage: pageNumber, columns: 2, headerRows: 0, rows, cells, found: 'sheet' },
    boxes: [{ pageNumber, box: [0, 0, 1, 1] }],
  };
  return {
    ...{ pageNumber, width: 2, height: rows, unit: 'cell', rotation: 0, text: `Sheet ${pageNumber}`, source: 'cell' },
    ...{ ocrConfidence: null, words, lines: [], rules: [], fields: [], images: [], tables: [table], warnings: [] },
  };
}

describe('a workbook with more than one statement takes', () => {
  let test: TestDatabase;
  let org: PlantedOrganization;
  let store: FsBlobStore;
  let folder: string;
  const largest = { bytes: 0 };

  beforeAll(async () => {
    test = await createTestDatabase();
    org = await plantOrganization(test.owner);
    folder = mkdtempSync(join(tmpdir(), 'docsvc-tables-'));
    store = await FsBlobStore.open(folder);
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  /** The transactions of the service, whose statements are measured. */
  const measured = (tx: RecordTransaction): RecordTransaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'query' || typeof member !== 'function') return member;
        return (sql: string, params: unknown[] = []): unknown => {
          for (const one of params)
            if (typeof one === 'string') largest.bytes = Math.max(largest.bytes, Buffer.byteLength(one));
          return Reflect.apply(member, target, [sql, params]) as unknown;
        };
      },
    });

  async function plant(pages: readonly Page[], name: string): Promise<ParseRef> {
    const { versionId } = await plantVersion(test.owner, org, { name });
    const { orgId } = org;
    const parseId = uuidv7();
    const places = await writePageDetails(store, parseId, 'pages-1', pages);
    const at = { versionId, attempt: 1 };
    await test.record.inOrganization(orgId, async (tx) => {
      await beginIngest(tx, versionId);
      const found = { sha256: '00'.repeat(32), kind: 'spreadsheet' as const, contentType: 'text/csv' };
      const parse = { id: parseId, optionsDigest: Buffer.alloc(32), pageCount: pages.length, warnings: [] };
      await openParse(tx, at, found, parse);
      await writePages(tx, at, parseId, pages, places);
    });
    return { ...at, orgId, parseId, pageCount: pages.length } as ParseRef;
  }

  it('DI-019 is joined and made searchable, in statements of at most 16 MiB', async () => {
    const parse = await plant([...[1, 2, 3, 4].map((page) => sheet(page, 210)), sheet(5, 900)], 'large.xlsx');
    const record: IngestDependencies['record'] = Object.create(test.record, {
      inOrganization: {
        value: <T>(orgId: string, work: (tx: RecordTransaction) => Promise<T>) =>
          test.record.inOrganization(orgId, (tx) => work(measured(tx))),
      },
    }) as IngestDependencies['record'];
    const on = { record, store } as unknown as IngestDependencies;
    const { signal } = new AbortController();
    await joinPageTables(on, parse, signal);
    await indexVersion(on, parse, signal);
    expect(largest.bytes).toBeGreaterThan(MIB);
    expect(largest.bytes).toBeLessThanOrEqual(MAX_STATEMENT_BYTES);
    const { rows } = await test.owner.query<{ pages: number[]; cells: number }>(
      `select array_agg(distinct first_page) as pages, sum(jsonb_array_length(content -> 'cells'))::int as cells
         from document_tables where parse_id = $1`,
      [parse.parseId],
    );
    expect(rows).toEqual([{ pages: [1, 2, 3, 4, 5], cells: 4 * 210 + 900 }]);
    const found = await test.owner.query<{ page_number: number }>(
      `select page_number from chunks where parse_id = $1 and tsv @@ 'lighthouse5x899'::tsquery`,
      [parse.parseId],
    );
    expect(found.rows).toEqual([{ page_number: 5 }]);
  }, 120_000);

  it('what stands outside of the tables of a sheet is found as well', async () => {
    const text = 'Harbour dues 2020\nport rate\nGenoa 9\nRates in crowns';
    const box = [0, 0, 1, 1] as const;
    const cells = ['A1', 'A1', 'A1', 'A3', 'B3', 'A4', 'B4', 'A6', 'A6', 'A6'];
    const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }, at): Word => {
      const place = { text: word, box, from: index, to: index + word.length };
      return { ...place, source: 'cell', confidence: 1, cell: cells[at] ?? '' };
    });
    const table: Table = {
      ...{ firstPage: 1, lastPage: 1, columns: 2, headerRows: 1, rows: 2, boxes: [], found: 'sheet' },
      cells: words.slice(3, 7).map(({ text: one, cell = '' }, at) => ({
        ...{ row: Math.floor(at / 2), column: at % 2, rowSpan: 1, columnSpan: 1, text: one, pageNumber: 1, box, cell },
      })),
    };
    const parse = await plant([{ ...sheet(1, 1), text, words, tables: [table] }], 'titled.xlsx');
    const on = { record: test.record, store } as unknown as IngestDependencies;
    await joinPageTables(on, parse, new AbortController().signal);
    await indexVersion(on, parse, new AbortController().signal);
    const { rows } = await test.owner.query<{ body: string }>(
      'select body from chunks where parse_id = $1 order by chunk_number',
      [parse.parseId],
    );
    expect(rows.map(({ body }) => body)).toEqual(['port | rate\nGenoa | 9', 'Harbour dues 2020', 'Rates in crowns']);
  });
});
