import { Between, MoreThan } from 'typeorm';
import { moveIngest } from '../core/ingest/ingest-moves.js';
import { ParseEntity } from '../core/ingest/parse.entity.js';
import { DocumentTableEntity } from '../core/pages/document-table.entity.js';
import { readPageDetails } from '../core/pages/page-details.js';
import { PageEntity } from '../core/pages/page.entity.js';
import { writeTables } from '../core/pages/write-pages.js';
import { writeChunks, type Chunk } from '../core/search/write-chunks.js';
import { chunkPage } from '../domain/chunks/chunk-page.js';
import { chunkTable } from '../domain/chunks/chunk-table.js';
import type { Table, Word } from '../domain/page-model.js';
import { joinTables } from '../domain/tables/join-tables.js';
import { detectLanguage } from '../platform/language/detect-language.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { ParseRef } from './ingest-steps.js';

const PAGES_AT_ONCE = 50;
const TABLES_AT_ONCE = 20;
/** Of a page whose language cannot be told, where no other page of the document has one. */
const UNKNOWN = 'und';

/** Joins tables that go on over several pages, and numbers all. What is joined is held in memory, one run of pages with tables at a time. */
export async function joinPageTables(on: IngestDependencies, parse: ParseRef, signal: AbortSignal): Promise<void> {
  const pages = await on.record.inOrganization(parse.orgId, async (tx) => {
    await moveIngest(tx, parse, { status: 'processing', stage: 'tables' });
    return tx.manager.find(PageEntity, {
      select: { page_number: true, words_key: true },
      where: { parse_id: parse.parseId, table_count: MoreThan(0) },
      order: { page_number: 'ASC' },
    });
  });
  let written = 0;
  for (const run of runsOf(pages)) {
    signal.throwIfAborted();
    const read = run.map(async ({ page_number: pageNumber, words_key }) => {
      const { lines, tables } = await readPageDetails(on.store, words_key ?? '');
      return { pageNumber, lines, tables };
    });
    const tables = joinTables(await Promise.all(read));
    for (let at = 0; at < tables.length; at += TABLES_AT_ONCE) {
      const some = tables.slice(at, at + TABLES_AT_ONCE);
      const firstNumber = written + at + 1;
      await on.record.inOrganization(parse.orgId, (tx) => writeTables(tx, parse.parseId, some, firstNumber));
    }
    written += tables.length;
  }
}

/** Pages that follow each other without a gap. */
function runsOf(pages: readonly PageEntity[]): PageEntity[][] {
  const runs: PageEntity[][] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run?.at(-1)?.page_number === page.page_number - 1) run.push(page);
    else runs.push([page]);
  }
  return runs;
}

/** Makes what was read searchable: stretches of text, and rows of tables with their header. Done again it comes to the same. */
export async function indexVersion(on: IngestDependencies, parse: ParseRef, signal: AbortSignal): Promise<void> {
  await on.record.inOrganization(parse.orgId, (tx) => moveIngest(tx, parse, { status: 'indexing', stage: 'index' }));
  const index = new Indexing(on, parse);
  for (let first = 1; first <= parse.pageCount; first += PAGES_AT_ONCE) {
    signal.throwIfAborted();
    await index.addPages(first, first + PAGES_AT_ONCE - 1);
  }
  await index.addTables(signal);
  await index.noteLanguage();
}

/** Chunks of one document, numbered in the order in which they are made. */
class Indexing {
  private written = 0;
  private language: string | null = null;
  private readonly languages = new Map<string, number>();
  private readonly ofPage = new Map<number, string>();

  constructor(
    private readonly on: IngestDependencies,
    private readonly parse: ParseRef,
  ) {}

  async addPages(from: number, to: number): Promise<void> {
    await this.on.record.inOrganization(this.parse.orgId, async (tx) => {
      const pages = await tx.manager.find(PageEntity, {
        select: { page_number: true, text: true, source: true, table_count: true },
        where: { parse_id: this.parse.parseId, page_number: Between(from, to) },
        order: { page_number: 'ASC' },
      });
      const chunks = pages.flatMap((page) => this.chunksOf(page));
      await writeChunks(tx, this.parse.parseId, this.numbered(chunks));
    });
  }

  /** Sheets are found by their tables alone, which hold all of their text. */
  private chunksOf({ page_number: pageNumber, text, source, table_count }: PageEntity): Unnumbered[] {
    const language = this.languageOf(pageNumber, text);
    if (source === 'cell' && table_count > 0) return [];
    return chunkPage(text).map(({ from, to }) => ({
      pageNumber,
      charsFrom: from,
      charsTo: to,
      cellRange: null,
      language,
      body: text.slice(from, to),
    }));
  }

  /** A page of numbers is taken to be in the language of those before it. */
  private languageOf(pageNumber: number, text: string): string {
    const language = detectLanguage(text);
    if (language !== null) this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    this.language = language ?? this.language;
    this.ofPage.set(pageNumber, this.language ?? UNKNOWN);
    return this.language ?? UNKNOWN;
  }

  async addTables(signal: AbortSignal): Promise<void> {
    const { record } = this.on;
    const { orgId, parseId } = this.parse;
    for (let number = 1; ; number += TABLES_AT_ONCE) {
      signal.throwIfAborted();
      const tables = await record.inOrganization(orgId, (tx) =>
        tx.manager.find(DocumentTableEntity, {
          where: { parse_id: parseId, table_number: Between(number, number + TABLES_AT_ONCE - 1) },
          order: { table_number: 'ASC' },
        }),
      );
      if (tables.length === 0) return;
      for (const { content } of tables) await this.addTable(content);
    }
  }

  private async addTable(table: Table): Promise<void> {
    const { orgId, parseId } = this.parse;
    const words = await this.wordsOf(table);
    const chunks = chunkTable(table, (pageNumber) => words.get(pageNumber) ?? []).map((chunk) => ({
      pageNumber: chunk.pageNumber,
      charsFrom: chunk.from,
      charsTo: chunk.to,
      cellRange: chunk.cellRange,
      language: this.ofPage.get(chunk.pageNumber) ?? UNKNOWN,
      body: chunk.body,
    }));
    await this.on.record.inOrganization(orgId, (tx) => writeChunks(tx, parseId, this.numbered(chunks)));
  }

  private async wordsOf({ firstPage, lastPage }: Table): Promise<Map<number, Word[]>> {
    const { record, store } = this.on;
    const pages = await record.inOrganization(this.parse.orgId, (tx) =>
      tx.manager.find(PageEntity, {
        select: { page_number: true, words_key: true },
        where: { parse_id: this.parse.parseId, page_number: Between(firstPage, lastPage) },
      }),
    );
    const words = new Map<number, Word[]>();
    for (const { page_number, words_key } of pages) {
      if (words_key !== null) words.set(page_number, (await readPageDetails(store, words_key)).words);
    }
    return words;
  }

  private numbered(chunks: Unnumbered[]): Chunk[] {
    return chunks.map((chunk) => ({ ...chunk, chunkNumber: (this.written += 1) }));
  }

  /** The language of most pages is that of the document. */
  async noteLanguage(): Promise<void> {
    const [most] = [...this.languages].sort(([, a], [, b]) => b - a);
    if (most === undefined) return;
    const { orgId, parseId } = this.parse;
    await this.on.record.inOrganization(orgId, (tx) =>
      tx.manager.update(ParseEntity, { id: parseId, status: 'running' }, { language: most[0] }),
    );
  }
}

type Unnumbered = Omit<Chunk, 'chunkNumber'>;
