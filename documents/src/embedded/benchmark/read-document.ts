import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import pLimit from 'p-limit';
import { DocsvcError } from '../../domain/errors.js';
import { Reading } from '../../domain/extraction/model/reading.js';
import { planBatches } from '../../domain/ingest/page-spans.js';
import type { Page, ParseFailure, Table } from '../../domain/page-model.js';
import { joinTables } from '../../domain/tables/join-tables.js';
import type { DocumentReader } from '../../platform/parsing/document-reader.js';
import type { Format } from '../../platform/parsing/sniff-request.js';

/** Pages that are recognized at the same time. */
const RECOGNIZED_AT_ONCE = 2;

/** What is read of a document before anything is looked for in it. */
export interface ReadDocument {
  pages: Page[];
  tables: Table[];
  /** Of the document, those that could not be read too. */
  pageCount: number;
}

/**
 * Reads a file of this host as the service does: every page in the jail, those recognized whose text layer does not say what they show, and its tables
 * joined. Pages that cannot be read are left out.
 *
 * @throws DocsvcError for a file that cannot be read at all
 */
export async function readDocument(reader: DocumentReader, path: string, languages = ['eng']): Promise<ReadDocument> {
  const file = await realpath(path);
  const [sniffed] = must(await reader.sniff(file, { name: basename(path) }), path);
  const format = sniffed?.format ?? 'other';
  const [inspection] = must(await reader.inspect(file, format), path);
  const pageCount = inspection?.pageCount ?? 1;
  const read = await readPages(reader, file, format, pageCount);
  const limit = pLimit(RECOGNIZED_AT_ONCE);
  const pages = await Promise.all(
    read.map(async ({ page, needsOcr }) =>
      needsOcr ? limit(() => recognized(reader, file, format, page, languages)) : page,
    ),
  );
  const tables: Table[] = [];
  for await (const table of joinTables(pages)) tables.push(table);
  return { pages, tables, pageCount };
}

export const readingOf = ({ pages, tables, pageCount }: ReadDocument): Reading => new Reading(pages, tables, pageCount);

async function readPages(
  reader: DocumentReader,
  file: string,
  format: Format,
  pageCount: number,
): Promise<{ page: Page; needsOcr: boolean }[]> {
  const pages: { page: Page; needsOcr: boolean }[] = [];
  for (const span of planBatches(1, pageCount)) {
    const { items, failure } = await reader.read(file, format, { ...span, isMoreToCome: span.to < pageCount });
    if (failure !== null && items.length === 0)
      throw new DocsvcError('unsupported_type', `${file}: ${failure.message}`);
    pages.push(...items.filter((item) => 'page' in item));
  }
  return pages;
}

async function recognized(
  reader: DocumentReader,
  file: string,
  format: Format,
  page: Page,
  languages: readonly string[],
): Promise<Page> {
  const { items } = await reader.recognize(file, format, { pageNumber: page.pageNumber, languages });
  return items[0]?.page ?? page;
}

function must<T>({ items, failure }: { items: T[]; failure: ParseFailure | null }, path: string): T[] {
  if (failure !== null) throw new DocsvcError('unsupported_type', `${path}: ${failure.message}`);
  return items;
}
