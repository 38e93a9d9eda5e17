import { MoreThan } from 'typeorm';
import { moveIngest } from '../core/ingest/ingest-moves.js';
import { readPageDetails } from '../core/pages/page-details.js';
import { PageEntity } from '../core/pages/page.entity.js';
import { tableRow, writeTables } from '../core/pages/write-pages.js';
import { statementsOf } from '../core/record/statement-rows.js';
import type { Page } from '../domain/page-model.js';
import { joinTables } from '../domain/tables/join-tables.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { ParseRef } from './ingest-steps.js';

type PageOfTables = Pick<Page, 'pageNumber' | 'lines' | 'tables'>;

/** Joins tables that go on over several pages, and numbers all. One page is held in memory at a time, and what one statement writes. */
export async function joinPageTables(on: IngestDependencies, parse: ParseRef, signal: AbortSignal): Promise<void> {
  const pages = await on.record.inOrganization(parse.orgId, async (tx) => {
    await moveIngest(tx, parse, { status: 'processing', stage: 'tables' });
    return tx.manager.find(PageEntity, {
      select: { page_number: true, words_key: true },
      where: { parse_id: parse.parseId, table_count: MoreThan(0) },
      order: { page_number: 'ASC' },
    });
  });
  for await (const rows of statementsOf(tableRows(on, pages, signal)))
    await on.record.inOrganization(parse.orgId, (tx) => writeTables(tx, parse.parseId, rows));
}

async function* tableRows(
  on: IngestDependencies,
  pages: readonly PageEntity[],
  signal: AbortSignal,
): AsyncGenerator<object> {
  let number = 0;
  for await (const table of joinTables(detailsOf(on, pages, signal))) yield tableRow((number += 1), table);
}

async function* detailsOf(
  { store }: IngestDependencies,
  pages: readonly PageEntity[],
  signal: AbortSignal,
): AsyncGenerator<PageOfTables> {
  for (const { page_number: pageNumber, words_key } of pages) {
    signal.throwIfAborted();
    const { lines, tables } = await readPageDetails(store, words_key ?? '');
    yield { pageNumber, lines, tables };
  }
}
