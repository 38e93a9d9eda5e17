import type { Page, Table } from '../../../src/domain/page-model.js';
import { joinTables } from '../../../src/domain/tables/join-tables.js';

/** All tables of some pages, those joined that go on over several. */
export async function joinedTables(pages: Iterable<Page>): Promise<Table[]> {
  const tables: Table[] = [];
  for await (const table of joinTables(pages)) tables.push(table);
  return tables;
}
