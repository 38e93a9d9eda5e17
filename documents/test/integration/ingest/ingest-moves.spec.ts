import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import {
  beginIngest,
  failPage,
  finishIngest,
  moveIngest,
  openParse,
  requeueVersion,
  sumUpParse,
  type IngestAttempt,
} from '../../../src/core/ingest/ingest-moves.js';
import { writePages } from '../../../src/core/pages/write-pages.js';
import { writeChunks } from '../../../src/core/search/write-chunks.js';
import type { RecordTransaction } from '../../../src/core/record/record.js';
import type { Page } from '../../../src/domain/page-model.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization, type PlantedOrganization } from '../../support/database/plant-organization.js';
import { plantVersion } from '../../support/documents/plant-version.js';

const OPTIONS = randomBytes(32);

function page(pageNumber: number, text: string): Page {
  return {
    ...{
      pageNumber,
      width: 80,
      height: 60,
      unit: 'cell',
      rotation: 0,
      text,
      source: 'text_layer',
      ocrConfidence: null,
    },
    ...{ words: [], lines: [], rules: [], fields: [], images: [], tables: [], warnings: [] },
  };
}

describe('the moves of an ingest', () => {
  let test: TestDatabase;
  let org: PlantedOrganization;

  beforeAll(async () => {
    test = await createTestDatabase();
    org = await plantOrganization(test.owner);
  });
  afterAll(() => test.close());

  const inOrg = <T>(work: (tx: RecordTransaction) => Promise<T>): Promise<T> =>
    test.record.inOrganization(org.orgId, work);

  /** Opens what holds the pages of a version with these bytes. */
  async function open(versionId: string, sha256: string) {
    const subject = await inOrg((tx) => beginIngest(tx, versionId));
    const at: IngestAttempt = { versionId, attempt: subject?.attempt ?? 0 };
    const parse = { id: uuidv7(), optionsDigest: OPTIONS, pageCount: 2, warnings: [] };
    const opened = await inOrg((tx) => openParse(tx, at, { sha256, kind: 'text', contentType: 'text/plain' }, parse));
    return { at, parseId: opened?.parseId ?? '', reused: opened?.reused };
  }

  async function read(at: IngestAttempt, parseId: string, words = 'bilateral covenant'): Promise<void> {
    await inOrg(async (tx) => {
      await writePages(tx, at, parseId, [page(1, words), page(2, 'closing words')], []);
      const chunk = {
        pageNumber: 1,
        chunkNumber: 1,
        charsFrom: 0,
        charsTo: words.length,
        cellRange: null,
        language: 'en',
        body: words,
      };
      await writeChunks(tx, parseId, [chunk]);
    });
  }

  const finish = (at: IngestAttempt, parseId: string, status: 'ready' | 'failed' = 'ready') =>
    inOrg((tx) => finishIngest(tx, at, { status, parseId, error: null }));

  const version = async (id: string) =>
    (await test.owner.query('select * from document_versions where id = $1', [id])).rows[0] as Record<string, unknown>;
  const document = async (id: string) =>
    (await test.owner.query('select * from documents where id = $1', [id])).rows[0] as Record<string, unknown>;
  const wordsOf = async (word: string): Promise<number> => {
    const { rows } = await test.owner.query<{ chunks: number }>(
      'select chunks from lexicon where project_id = $1 and lexeme = $2',
      [org.projectId, word],
    );
    return rows[0]?.chunks ?? 0;
  };

  it('DI-005 a version goes from queued to ready once, whoever repeats a step', async () => {
    const { documentId, versionId } = await plantVersion(test.owner, org);
    const { at, parseId } = await open(versionId, randomBytes(32).toString('hex'));
    await read(at, parseId);
    await read(at, parseId);
    expect(await version(versionId)).toMatchObject({
      status: 'processing',
      stage: 'parse',
      pages_done: 2,
      pages_total: 2,
    });
    expect(await inOrg((tx) => moveIngest(tx, at, { status: 'indexing', stage: 'index' }))).toBe(true);
    expect([await finish(at, parseId), await finish(at, parseId)]).toEqual([
      expect.objectContaining({ documentId }),
      null,
    ]);
    expect(await version(versionId)).toMatchObject({ status: 'ready', stage: null, parse_id: parseId, pages_done: 2 });
    expect(await document(documentId)).toMatchObject({ kind: 'text', searchable_version_id: versionId });
    expect(await wordsOf('covenant')).toBe(1);
    expect(await inOrg((tx) => beginIngest(tx, versionId))).toBeNull();
  });

  it('DI-009 the same bytes are not read again, also when both were begun at the same time', async () => {
    const sha256 = randomBytes(32).toString('hex');
    const [first, second, third] = [
      await plantVersion(test.owner, org, { name: 'twin-1.txt' }),
      await plantVersion(test.owner, org, { name: 'twin-2.txt' }),
      await plantVersion(test.owner, org, { name: 'twin-3.txt' }),
    ];
    const [one, two] = [await open(first.versionId, sha256), await open(second.versionId, sha256)];
    await read(one.at, one.parseId, 'gemini lexeme');
    await read(two.at, two.parseId, 'gemini lexeme');
    await finish(one.at, one.parseId);
    await finish(two.at, two.parseId);
    const three = await open(third.versionId, sha256);
    expect(three).toMatchObject({ parseId: one.parseId, reused: true });
    await finish(three.at, three.parseId);
    for (const { versionId } of [first, second, third]) {
      expect(await version(versionId)).toMatchObject({ status: 'ready', parse_id: one.parseId, pages_done: 2 });
    }
    expect(await wordsOf('gemini')).toBe(1);
    const { rows } = await test.owner.query('select status from parses where id = $1', [two.parseId]);
    expect(rows).toEqual([{ status: 'obsolete' }]);
  });

  it('DI-009 an earlier version stays searchable until the new one is read, and after one that cannot be', async () => {
    const first = await plantVersion(test.owner, org, { name: 'contract.txt' });
    const one = await open(first.versionId, randomBytes(32).toString('hex'));
    await read(one.at, one.parseId);
    await finish(one.at, one.parseId);
    const second = await plantVersion(test.owner, org, { name: 'contract.txt' });
    expect(second).toMatchObject({ documentId: first.documentId, version: 2 });
    const two = await open(second.versionId, randomBytes(32).toString('hex'));
    expect(await document(first.documentId)).toMatchObject({ searchable_version_id: first.versionId });
    await finish(two.at, two.parseId, 'failed');
    expect(await document(first.documentId)).toMatchObject({ searchable_version_id: first.versionId });
    const third = await plantVersion(test.owner, org, { name: 'contract.txt' });
    const three = await open(third.versionId, randomBytes(32).toString('hex'));
    await read(three.at, three.parseId);
    await finish(three.at, three.parseId);
    expect(await document(first.documentId)).toMatchObject({ searchable_version_id: third.versionId });
  });

  it('a version that is read anew replaces what was read before, for every version with its bytes', async () => {
    const sha256 = randomBytes(32).toString('hex');
    const [mine, other] = [
      await plantVersion(test.owner, org, { name: 'again-1.txt' }),
      await plantVersion(test.owner, org, { name: 'again-2.txt' }),
    ];
    const one = await open(mine.versionId, sha256);
    await read(one.at, one.parseId, 'palimpsest');
    await finish(one.at, one.parseId);
    const two = await open(other.versionId, sha256);
    await finish(two.at, two.parseId);
    expect(await inOrg((tx) => requeueVersion(tx, mine.versionId, { ocrMode: 'off' }))).toBe(2);
    expect(await inOrg((tx) => requeueVersion(tx, mine.versionId, {}))).toBeNull();
    expect(await document(mine.documentId)).toMatchObject({ searchable_version_id: mine.versionId });
    const anew = await open(mine.versionId, sha256);
    expect(anew).toMatchObject({ reused: false, at: { attempt: 2 } });
    await read(anew.at, anew.parseId, 'vellum');
    expect(await finish(one.at, one.parseId)).toBeNull();
    await finish(anew.at, anew.parseId);
    for (const { versionId } of [mine, other])
      expect(await version(versionId)).toMatchObject({ parse_id: anew.parseId });
    expect([await wordsOf('palimpsest'), await wordsOf('vellum')]).toEqual([0, 1]);
  });

  it('a page that cannot be read is listed once and counts as done', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'torn.txt' });
    const { at, parseId } = await open(versionId, randomBytes(32).toString('hex'));
    await inOrg((tx) => writePages(tx, at, parseId, [page(1, 'whole')], []));
    const torn = { pageNumber: 2, code: 'wall_time', message: 'took too long' };
    await inOrg((tx) => failPage(tx, at, parseId, torn));
    await inOrg((tx) => failPage(tx, at, parseId, torn));
    expect(await version(versionId)).toMatchObject({ pages_done: 2 });
    expect(await inOrg((tx) => sumUpParse(tx, parseId))).toEqual({ pageCount: 2, readPages: 1, failedPages: 1 });
  });

  it('a page that was read and not recognized is done once, and the failures are in the order of the pages', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'faded.txt' });
    const { at, parseId } = await open(versionId, randomBytes(32).toString('hex'));
    const failed = (pageNumber: number) => ({ pageNumber, code: 'memory', message: `page ${pageNumber}` });
    await inOrg((tx) => failPage(tx, at, parseId, failed(2)));
    await inOrg((tx) => writePages(tx, at, parseId, [page(1, 'read'), page(2, 'read after all')], []));
    await inOrg((tx) => failPage(tx, at, parseId, failed(1)));
    await inOrg((tx) => writePages(tx, at, parseId, [page(1, 'read again')], []));
    expect(await version(versionId)).toMatchObject({ pages_done: 2 });
    await finish(at, parseId);
    const { rows } = await test.owner.query('select failed_pages, warnings from parses where id = $1', [parseId]);
    expect(rows).toEqual([{ failed_pages: [1, 2], warnings: [failed(1), failed(2)] }]);
  });

  it('a page costs the same whether a few or thousands came before it', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'thick.txt' });
    const { at, parseId } = await open(versionId, randomBytes(32).toString('hex'));
    await test.owner.query(
      `insert into pages (org_id, parse_id, page_number, width, height, unit, text, source)
       select $1, $2, n, 1, 1, 'pt', '', 'text_layer' from generate_series(1, 3000) n`,
      [org.orgId, parseId],
    );
    await test.owner.query(
      `insert into page_failures (org_id, parse_id, page_number, warning)
       select $1, $2, n, '{}' from generate_series(4001, 7000) n`,
      [org.orgId, parseId],
    );
    const touched = await inOrg(async (tx) => {
      await failPage(tx, at, parseId, { pageNumber: 8000, code: 'memory', message: '' });
      await writePages(tx, at, parseId, [page(8001, 'one more')], []);
      const rows = await tx.query<{ name: string; rows: string }>(
        `select relname as name, seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables
          where relname in ('pages', 'page_failures')`,
      );
      return Object.fromEntries(rows.map(({ name, rows: count }) => [name, Number(count)]));
    });
    expect(Object.keys(touched).sort()).toEqual(['page_failures', 'pages']);
    for (const count of Object.values(touched)) expect(count).toBeLessThan(100);
    expect(await version(versionId)).toMatchObject({ pages_done: 2 });
  });

  it('text that PostgreSQL does not take keeps its length', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'odd.txt' });
    const { at, parseId } = await open(versionId, randomBytes(32).toString('hex'));
    await inOrg((tx) => writePages(tx, at, parseId, [page(1, 'a\0b\uD800c')], []));
    const { rows } = await test.owner.query('select text from pages where parse_id = $1', [parseId]);
    expect(rows).toEqual([{ text: 'a\uFFFDb\uFFFDc' }]);
  });
});
