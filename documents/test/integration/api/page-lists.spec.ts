import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writePageDetails } from '../../../src/core/pages/page-details.js';
import { tableRow, writeTables } from '../../../src/core/pages/write-pages.js';
import { FsBlobStore } from '../../../src/platform/blobs/fs-blob-store.js';
import type { Page, Table, Word } from '../../../src/domain/page-model.js';
import { startApi, type Members, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { plantDocument, type PlantedDocument } from '../../support/search/plant-document.js';

const MIB = 1024 * 1024;
/** What one answer holds, with what its escapes and members take. */
const ANSWER_BYTES = 12 * MIB;
const FOLDER = mkdtempSync(join(tmpdir(), 'docsvc-lists-'));

interface Listed extends Members {
  data: { pageNumber: number; tableNumber: number; text: string }[];
  nextCursor: string | null;
}

let api: TestApi;
let acme: TestOrganization;
let planted: PlantedDocument;
let store: FsBlobStore;

const word = (text: string): Word => ({ text, box: [0, 0, 1, 1], from: 0, to: 1, source: 'cell', confidence: 1 });

function details(words: Word[]): Pick<Page, 'words' | 'lines' | 'rules' | 'fields' | 'images' | 'tables'> {
  return { words, lines: [], rules: [], fields: [], images: [], tables: [] };
}

beforeAll(async () => {
  api = await startApi({ DOCSVC_FS_ROOT: FOLDER });
  acme = await api.organization();
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  const body = { workspaceId: workspace.body.id, name: 'P' };
  const { body: project } = await acme.ask<{ id: string }>('/api/projects', { method: 'POST', body });
  const ground = { owner: api.database.owner, record: api.database.record, orgId: acme.orgId, projectId: project.id };
  planted = await plantDocument(ground, { name: 'large.txt', pages: Array.from({ length: 7 }, () => 'short') });
  const lengthen = `update pages set text = repeat('long ', $2) where parse_id = $1 and page_number = any ($3)`;
  await api.database.owner.query(lengthen, [planted.parseId, 600_000, [1, 2, 3, 4, 5]]);
  await api.database.owner.query(lengthen, [planted.parseId, 2_000_000, [6]]);
  store = await FsBlobStore.open(FOLDER);
}, 120_000);

afterAll(async () => {
  await api.close();
  rmSync(FOLDER, { recursive: true });
});

/** All pages of a list, each of them within its bounds. */
async function follow(path: string): Promise<Listed['data'][]> {
  const lists: Listed['data'][] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await acme.ask<Listed>(`${path}${cursor}`);
    expect(status).toBe(200);
    if (body.data.length > 1) expect(JSON.stringify(body).length).toBeLessThan(ANSWER_BYTES);
    lists.push(body.data);
    if (body.nextCursor === null) return lists;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

describe('lists of what is large', () => {
  it('pages end early with a cursor, and one that is larger than an answer stands alone', async () => {
    const lists = await follow(`/api/documents/${planted.documentId}/pages?limit=200`);
    expect(lists.map((list) => list.map(({ pageNumber }) => pageNumber))).toEqual([[1, 2], [3, 4], [5], [6], [7]]);
    const exact = await follow(`/api/documents/${planted.documentId}/pages?limit=7`);
    expect(exact.flat()).toHaveLength(7);
  }, 180_000);

  it('words count as well, and a page with more of them than an answer holds says so', async () => {
    const many = Array.from({ length: 20_000 }, () => word('buoy'));
    const huge = Array.from({ length: 9 }, () => word('w'.repeat(8 * MIB)));
    const pages = [1, 2, 3].map(() => details(many));
    const places = await writePageDetails(store, planted.parseId, 'pages-1', [...pages, details(huge)]);
    for (const [at, place] of places.entries())
      await api.database.owner.query(
        `update pages set words_key = $1, text = 'short' where parse_id = $2 and page_number = $3`,
        [place, planted.parseId, at + 1],
      );
    const path = `/api/documents/${planted.documentId}/pages`;
    const { body } = await acme.ask<Listed>(`${path}?include=words&limit=3`);
    expect(body.data.map(({ pageNumber }) => pageNumber)).toEqual([1]);
    const { status, body: refused } = await acme.ask<{ error: Members }>(`${path}/4?include=words`);
    expect([status, refused.error['code']]).toEqual([413, 'too_large']);
    expect(refused.error['message']).toContain('leave include out');
    expect((await acme.ask(`${path}/4`)).status).toBe(200);
  }, 180_000);

  it('tables end early with a cursor', async () => {
    const box = [0, 0, 1, 1] as const;
    const cells = [0, 1].map((row) => ({
      ...{ row, column: 0, rowSpan: 1, columnSpan: 1, text: 'x'.repeat(1_500_000), pageNumber: 1, box },
    }));
    const table: Table = {
      ...{ firstPage: 1, lastPage: 1, columns: 2, headerRows: 0, rows: 2, cells, boxes: [], found: 'ruled' },
    };
    await api.database.owner.query(`update parses set status = 'running' where id = $1`, [planted.parseId]);
    for (const number of [1, 2, 3, 4, 5])
      await api.database.record.inOrganization(acme.orgId, (tx) =>
        writeTables(tx, planted.parseId, JSON.stringify([tableRow(number, table)])),
      );
    await api.database.owner.query(`update parses set status = 'ready' where id = $1`, [planted.parseId]);
    const lists = await follow(`/api/documents/${planted.documentId}/tables?limit=200`);
    expect(lists.map((list) => list.map(({ tableNumber }) => tableNumber))).toEqual([[1, 2], [3, 4], [5]]);
  }, 180_000);
});
