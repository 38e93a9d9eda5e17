import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writePageDetails } from '../../../src/core/pages/page-details.js';
import type { Box, Word } from '../../../src/domain/page-model.js';
import { openBlobStore } from '../../../src/platform/blobs/open-blob-store.js';
import { startApi, type Answer, type Members, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { plantDocument, type PlantedDocument } from '../../support/search/plant-document.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'docsvc-search-'));
const PAGE = 'The grand total of the\ninvoice is 1,234.50';

interface Found extends Members {
  results: (Members & { citations?: { boundingBoxes: Members[] }[] })[];
  nextCursor: string | null;
}

let api: TestApi;
let acme: TestOrganization;
let projectId: string;
let invoice: PlantedDocument;

const search = (body: object, asked = acme, project = projectId): Promise<Answer<Found>> =>
  asked.ask<Found>(`/api/projects/${project}/search`, { method: 'POST', body });

beforeAll(async () => {
  api = await startApi({ DOCSVC_FS_ROOT: FOLDER, DOCSVC_RATE_SEARCHES_PER_MIN: '100000' });
  acme = await api.organization();
  projectId = await makeProject(acme);
  const { rows } = await api.database.owner.query<{ org_id: string }>('select org_id from projects where id = $1', [
    projectId,
  ]);
  const ground = { owner: api.database.owner, record: api.database.record, orgId: rows[0]?.org_id ?? '', projectId };
  invoice = await plantDocument(ground, { name: 'invoice.pdf', kind: 'pdf', pages: [PAGE] });
  await placeWords(invoice, PAGE);
  for (let index = 0; index < 12; index += 1) {
    await plantDocument(ground, { name: `note-${index}.txt`, pages: [`A note about herons, number ${index}.`] });
  }
});

afterAll(async () => {
  await api.close();
  rmSync(FOLDER, { recursive: true });
});

describe('POST /api/projects/{id}/search', () => {
  it('DI-020 DI-045 answers results with document name, page number and source excerpt', async () => {
    const { status, body } = await search({ query: 'What is the total of the invoice?', includeCitations: false });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      query: 'What is the total of the invoice?',
      mode: 'lexical',
      degraded: true,
      nextCursor: null,
    });
    expect(body.results[0]).toMatchObject({
      ...{ documentId: invoice.documentId, documentVersionId: invoice.versionId, documentName: 'invoice.pdf' },
      ...{ version: 1, pageNumber: 1, excerpt: PAGE },
    });
    expect(body.results[0]).not.toHaveProperty('citations');
  });

  it('DI-035 takes includeCitations and then says where on the page each result stands, one box for each line', async () => {
    const { body } = await search({ query: 'total invoice 1234.5', includeCitations: true });
    const [citation] = body.results[0]?.citations ?? [];
    expect(citation).toMatchObject({
      ...{ documentName: 'invoice.pdf', pageNumber: 1, excerpt: PAGE, charRange: { from: 0, to: PAGE.length } },
      ...{ page: { width: 612, height: 792, unit: 'pt', rotation: 0 }, match: 'exact', source: 'text_layer' },
    });
    const boxes = citation?.boundingBoxes as unknown as { x: number; y: number; width: number; height: number }[];
    expect(boxes.map(({ y }) => y)).toEqual([0.1, 0.2]);
    for (const { width, height } of boxes) expect(width * height).toBeLessThanOrEqual(0.25);
  });

  it('DI-045 says which release brings searching by meaning', async () => {
    expect(await search({ query: 'total', mode: 'semantic' })).toMatchObject({
      status: 501,
      body: { error: { code: 'not_implemented' } },
    });
    expect(await search({ query: 'total', mode: 'lexical' })).toMatchObject({ status: 200, body: { degraded: false } });
  });

  it('DI-045 has pages, whose cursors are good for the same query alone', async () => {
    const first = await search({ query: 'herons', limit: 8 });
    expect(first.body.results).toHaveLength(8);
    const cursor = first.body.nextCursor;
    const second = await search({ query: 'herons', limit: 8, cursor });
    expect(second.body.results).toHaveLength(4);
    expect(second.body.nextCursor).toBeNull();
    const names = [...first.body.results, ...second.body.results].map(({ documentName }) => documentName);
    expect(new Set(names).size).toBe(12);
    for (const other of [{ query: 'heron' }, { query: 'herons', filters: { labels: ['a'] } }]) {
      expect(await search({ ...other, cursor })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request' } },
      });
    }
  });

  it.each([
    ['operators', `a & b | !c <-> d:* (e) '' "`],
    ['open quotation marks', '"total "invoice\' ""'],
    ['backslashes and quotes', "\\'total\\' '' \\\\ \"\\\""],
    ['only stop words', 'what is the of and to'],
    ['only marks', '?!... --- ((('],
    ['one blank', ' '],
    ['2,000 characters', 'total '.repeat(333) + 'ab'],
    ['2,000 letters', 'x'.repeat(2000)],
    ['2,000 figures', '1'.repeat(2000)],
    [
      'a thousand words',
      Array.from({ length: 660 }, (_, index) => index.toString(36))
        .join(' ')
        .slice(0, 2000),
    ],
    ['dates and numbers', '1.1.1.1 99/99/9999 0000-00-00 1,2,3,4 31.02.2021 1e400 ٣٤٥ 1٫5'],
    ['letters of other scripts', '合計はいくら Сколько всего كم المجموع 😀'],
    ['a lexeme of ours', "#1234.5 @20210304 !en '#1'"],
  ])('DI-045 answers hostile queries: %s', async (_what, query) => {
    expect((await search({ query, includeCitations: true })).status).toBe(200);
  });

  it.each([
    ['an empty query', { query: '' }],
    ['a query of more than 2,000 characters', { query: 'x'.repeat(2001) }],
    ['U+0000', { query: 'total\u0000' }],
    ['a limit of 51', { query: 'total', limit: 51 }],
    ['an unknown member', { query: 'total', explain: true }],
    ['an unknown filter', { query: 'total', filters: { author: 'x' } }],
    ['a cursor of nobody', { query: 'total', cursor: 'AAAA' }],
    ['a document that is no id', { query: 'total', filters: { documentIds: ['1'] } }],
  ])('DI-045 refuses %s', async (_what, body) => {
    expect(await search(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });

  it('DI-060 needs search:read, and hides projects of others', async () => {
    const other = await api.organization('Other');
    expect((await search({ query: 'total' }, other)).status).toBe(404);
    const reader = await acme.client(['documents:read']);
    const refused = await api.ask(`/api/projects/${projectId}/search`, {
      ...{ method: 'POST', token: reader.token, body: { query: 'total' } },
    });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  });

  it('DI-045 is on the audit as a read, without what was asked', async () => {
    await search({ query: 'total zebra' });
    const { rows } = await api.database.owner.query<{ detail: object }>(
      `select detail from audit_events where action = 'search.read' order by id desc limit 1`,
    );
    expect(rows[0]?.detail).toEqual({ results: 1, documents: [invoice.documentId] });
    expect(api.log.join('')).not.toContain('zebra');
  });
});

async function makeProject(organization: TestOrganization): Promise<string> {
  const workspace = await organization.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  const body = { name: 'P', workspaceId: workspace.body.id };
  return (await organization.ask<{ id: string }>('/api/projects', { method: 'POST', body })).body.id;
}

/** Words of two lines, each a tenth of the page wide, as the parser keeps them. */
async function placeWords({ parseId }: PlantedDocument, text: string): Promise<void> {
  const store = await openBlobStore({ root: FOLDER, kind: 'fs' } as never);
  let line = -1;
  let end = -1;
  const words: Word[] = [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => {
    if (line < 0 || text.slice(end, index).includes('\n')) line += 1;
    end = index + word.length;
    const box: Box = [0.1 + (index % 23) * 0.03, 0.1 + line / 10, 0.1, 0.02];
    return { text: word, box, from: index, to: end, source: 'text_layer', confidence: 0.99 };
  });
  const second = words.findIndex(({ box }) => box[1] > 0.15);
  const lines = [
    { first: 0, last: second - 1, box: [0, 0.1, 1, 0.02] as Box },
    { first: second, last: words.length - 1, box: [0, 0.2, 1, 0.02] as Box },
  ];
  const [place] = await writePageDetails(store, parseId, 'pages-1', [
    { words, lines, rules: [], fields: [], images: [], tables: [] },
  ]);
  await api.database.owner.query('update pages set words_key = $2 where parse_id = $1', [parseId, place]);
}
