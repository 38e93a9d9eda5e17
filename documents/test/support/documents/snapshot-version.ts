import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';
import { readPageDetails } from '../../../src/core/pages/page-details.js';
import type { LivePipeline } from '../installation/live-pipeline.js';

/**
 * All that is left of a version once it is read: its rows, its events and its blobs, without ids, times and the mark by which its text differs from
 * that of others.
 */
export async function snapshotVersion(live: LivePipeline, versionId: string, mark: string): Promise<object> {
  const query = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await live.test.owner.query<Record<string, unknown>>(sql, [versionId])).rows;
  const ofParse = 'join document_versions v on v.parse_id = t.parse_id where v.id = $1';
  const pages = await query(
    `select page_number, text, source, width, height, table_count, words_key from pages t ${ofParse} order by page_number`,
  );
  const details = [];
  for (const { words_key } of pages) {
    const { words, lines, tables } = await readPageDetails(live.store, String(words_key));
    const places = words.map(({ text, from, to, source }) => ({ text, from, to, source }));
    details.push({ places, lines: lines.length, tables: tables.length });
  }
  const parseId = (await live.version(versionId)).parse_id ?? '';
  const told = {
    version: await query(
      'select status, stage, attempt, pages_done, pages_total, warnings, error, ready_at is null as unread from document_versions where id = $1',
    ),
    parses: await query(
      'select status, page_count, ocr_pages, failed_pages, language, warnings from parses where version_id = $1',
    ),
    pages: pages.map(({ words_key, ...page }) => ({
      ...page,
      place: String(words_key).replace(parseId, '').replace(/@.*/, ''),
    })),
    details,
    tables: await query(`select table_number, content from document_tables t ${ofParse} order by table_number`),
    chunks: await query(
      `select chunk_number, page_number, chars_from, chars_to, language, body, length(tsv) as lexemes from chunks t ${ofParse} order by chunk_number`,
    ),
    events: await query(
      `select type from events_outbox where data ->> 'documentVersionId' = $1::text order by occurred_at, id`,
    ),
    document: await query(
      `select kind, searchable_version_id = $1 as searchable, latest_version_id = $1 as latest from documents d
        where id = (select document_id from document_versions where id = $1)`,
    ),
    wakeUps: await query('select kind from driver_outbox where subject_id = $1'),
    blobs: [await namesBeside(live, originalKey(versionId)), await namesBeside(live, `${parseId}/pages-1`)],
  };
  const unmarked = JSON.parse(JSON.stringify(told).replaceAll(mark, 'MARK')) as Record<string, unknown[]>;
  return Object.fromEntries(Object.entries(unmarked).map(([part, rows]) => [part, rows.map(shorten)]));
}

/** What is long is compared by its digest: a difference of long texts could not be read, and takes minutes to be shown. */
function shorten(row: unknown): unknown {
  const text = JSON.stringify(row);
  return text.length < 500 ? row : createHash('sha256').update(text).digest('hex');
}

async function namesBeside({ store }: LivePipeline, key: string): Promise<string[]> {
  return (await readdir(dirname(await store.localFile(key)))).sort();
}
