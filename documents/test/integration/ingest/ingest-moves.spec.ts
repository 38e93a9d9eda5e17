import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  beginIngest,
  failPage,
  moveIngest,
  requeueVersion,
  sumUpParse,
} from '../../../src/core/ingest/ingest-moves.js';
import { writePages } from '../../../src/core/pages/write-pages.js';
import type { RecordTransaction } from '../../../src/core/record/record.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization, type PlantedOrganization } from '../../support/database/plant-organization.js';
import { plantVersion } from '../../support/documents/plant-version.js';
import { pageOf, ReadingBench } from '../../support/ingest/reading-bench.js';

describe('the moves of an ingest', () => {
  let test: TestDatabase;
  let org: PlantedOrganization;
  let bench: ReadingBench;

  beforeAll(async () => {
    test = await createTestDatabase();
    org = await plantOrganization(test.owner);
    bench = new ReadingBench(test, org);
  });
  afterAll(() => test.close());

  const inOrg = <T>(work: (tx: RecordTransaction) => Promise<T>): Promise<T> => bench.inOrg(work);

  it('DI-005 a version goes from queued to ready once, whoever repeats a step', async () => {
    const { documentId, versionId } = await plantVersion(test.owner, org);
    const reading = await bench.open(versionId, randomBytes(32).toString('hex'));
    await bench.read(reading);
    await bench.read(reading);
    expect(await bench.version(versionId)).toMatchObject({
      status: 'processing',
      stage: 'parse',
      pages_done: 2,
      pages_total: 2,
    });
    expect(await inOrg((tx) => moveIngest(tx, reading.at, { status: 'indexing', stage: 'index' }))).toBe(true);
    expect([await bench.finish(reading), await bench.finish(reading)]).toEqual([
      expect.objectContaining({ documentId }),
      null,
    ]);
    expect(await bench.version(versionId)).toMatchObject({
      status: 'ready',
      stage: null,
      parse_id: reading.parseId,
      pages_done: 2,
    });
    expect(await bench.document(documentId)).toMatchObject({ kind: 'text', searchable_version_id: versionId });
    expect(await bench.wordsOf('covenant')).toBe(1);
    expect(await inOrg((tx) => beginIngest(tx, versionId))).toBeNull();
  });

  it('DI-009 the same bytes are not read again, also when both were begun at the same time', async () => {
    const sha256 = randomBytes(32).toString('hex');
    const [first, second, third] = [
      await plantVersion(test.owner, org, { name: 'twin-1.txt' }),
      await plantVersion(test.owner, org, { name: 'twin-2.txt' }),
      await plantVersion(test.owner, org, { name: 'twin-3.txt' }),
    ];
    const [one, two] = [await bench.open(first.versionId, sha256), await bench.open(second.versionId, sha256)];
    await bench.read(one, 'gemini lexeme');
    await bench.read(two, 'gemini lexeme');
    await bench.finish(one);
    await bench.finish(two);
    const three = await bench.open(third.versionId, sha256);
    expect(three).toMatchObject({ parseId: one.parseId, reused: true });
    await bench.finish(three);
    for (const { versionId } of [first, second, third]) {
      expect(await bench.version(versionId)).toMatchObject({ status: 'ready', parse_id: one.parseId, pages_done: 2 });
    }
    expect(await bench.wordsOf('gemini')).toBe(1);
    const { rows } = await test.owner.query('select status from parses where id = $1', [two.parseId]);
    expect(rows).toEqual([{ status: 'obsolete' }]);
  });

  it('DI-009 an earlier version stays searchable until the new one is read, and after one that cannot be', async () => {
    const first = await plantVersion(test.owner, org, { name: 'contract.txt' });
    const one = await bench.open(first.versionId, randomBytes(32).toString('hex'));
    await bench.read(one);
    await bench.finish(one);
    const second = await plantVersion(test.owner, org, { name: 'contract.txt' });
    expect(second).toMatchObject({ documentId: first.documentId, version: 2 });
    const two = await bench.open(second.versionId, randomBytes(32).toString('hex'));
    expect(await bench.document(first.documentId)).toMatchObject({ searchable_version_id: first.versionId });
    await bench.finish(two, 'failed');
    expect(await bench.document(first.documentId)).toMatchObject({ searchable_version_id: first.versionId });
    const third = await plantVersion(test.owner, org, { name: 'contract.txt' });
    const three = await bench.open(third.versionId, randomBytes(32).toString('hex'));
    await bench.read(three);
    await bench.finish(three);
    expect(await bench.document(first.documentId)).toMatchObject({ searchable_version_id: third.versionId });
  });

  it('a version that is read anew replaces what was read before, for every version with its bytes', async () => {
    const sha256 = randomBytes(32).toString('hex');
    const [mine, other] = [
      await plantVersion(test.owner, org, { name: 'again-1.txt' }),
      await plantVersion(test.owner, org, { name: 'again-2.txt' }),
    ];
    const one = await bench.open(mine.versionId, sha256);
    await bench.read(one, 'palimpsest');
    await bench.finish(one);
    const two = await bench.open(other.versionId, sha256);
    await bench.finish(two);
    expect(await inOrg((tx) => requeueVersion(tx, mine.versionId, { ocrMode: 'off' }))).toBe(2);
    expect(await inOrg((tx) => requeueVersion(tx, mine.versionId, {}))).toBeNull();
    expect(await bench.document(mine.documentId)).toMatchObject({ searchable_version_id: mine.versionId });
    const anew = await bench.open(mine.versionId, sha256);
    expect(anew).toMatchObject({ reused: false, at: { attempt: 2 } });
    await bench.read(anew, 'vellum');
    expect(await bench.finish(one)).toBeNull();
    await bench.finish(anew);
    for (const { versionId } of [mine, other])
      expect(await bench.version(versionId)).toMatchObject({ parse_id: anew.parseId });
    expect([await bench.wordsOf('palimpsest'), await bench.wordsOf('vellum')]).toEqual([0, 1]);
  });

  it('a page that cannot be read is listed once and counts as done', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'torn.txt' });
    const reading = await bench.open(versionId, randomBytes(32).toString('hex'));
    await inOrg((tx) => writePages(tx, reading.at, reading.parseId, [pageOf(1, 'whole')], []));
    const torn = { pageNumber: 2, code: 'wall_time', message: 'took too long' };
    await inOrg((tx) => failPage(tx, reading.at, reading.parseId, torn));
    await inOrg((tx) => failPage(tx, reading.at, reading.parseId, torn));
    expect(await bench.version(versionId)).toMatchObject({ pages_done: 2 });
    expect(await inOrg((tx) => sumUpParse(tx, reading.parseId))).toEqual({
      pageCount: 2,
      readPages: 1,
      failedPages: 1,
    });
  });

  it('a page that was read and not recognized is done once, and the failures are in the order of the pages', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'faded.txt' });
    const reading = await bench.open(versionId, randomBytes(32).toString('hex'));
    const { at, parseId } = reading;
    const failed = (pageNumber: number) => ({ pageNumber, code: 'memory', message: `page ${pageNumber}` });
    await inOrg((tx) => failPage(tx, at, parseId, failed(2)));
    await inOrg((tx) => writePages(tx, at, parseId, [pageOf(1, 'read'), pageOf(2, 'read after all')], []));
    await inOrg((tx) => failPage(tx, at, parseId, failed(1)));
    await inOrg((tx) => writePages(tx, at, parseId, [pageOf(1, 'read again')], []));
    expect(await bench.version(versionId)).toMatchObject({ pages_done: 2 });
    await bench.finish(reading);
    const { rows } = await test.owner.query('select failed_pages, warnings from parses where id = $1', [parseId]);
    expect(rows).toEqual([{ failed_pages: [1, 2], warnings: [failed(1), failed(2)] }]);
  });

  it('a page costs the same whether a few or thousands came before it', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'thick.txt' });
    const reading = await bench.open(versionId, randomBytes(32).toString('hex'));
    const { at, parseId } = reading;
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
      await writePages(tx, at, parseId, [pageOf(8001, 'one more')], []);
      const rows = await tx.query<{ name: string; rows: string }>(
        `select relname as name, seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables
          where relname in ('pages', 'page_failures')`,
      );
      return Object.fromEntries(rows.map(({ name, rows: count }) => [name, Number(count)]));
    });
    expect(Object.keys(touched).sort()).toEqual(['page_failures', 'pages']);
    for (const count of Object.values(touched)) expect(count).toBeLessThan(100);
    expect(await bench.version(versionId)).toMatchObject({ pages_done: 2 });
  });

  it('text that PostgreSQL does not take keeps its length', async () => {
    const { versionId } = await plantVersion(test.owner, org, { name: 'odd.txt' });
    const reading = await bench.open(versionId, randomBytes(32).toString('hex'));
    await inOrg((tx) => writePages(tx, reading.at, reading.parseId, [pageOf(1, 'a\0b\uD800c')], []));
    const { rows } = await test.owner.query('select text from pages where parse_id = $1', [reading.parseId]);
    expect(rows).toEqual([{ text: 'a\uFFFDb\uFFFDc' }]);
  });
});
