import { moveIngest } from '../core/ingest/ingest-moves.js';
import { ParseEntity } from '../core/ingest/parse.entity.js';
import { readPageDetails } from '../core/pages/page-details.js';
import { PageEntity } from '../core/pages/page.entity.js';
import { listPages, listTables, type NumberedPart } from '../core/pages/read-version.js';
import type { RecordTransaction } from '../core/record/record.js';
import { writeChunks, type Chunk } from '../core/search/write-chunks.js';
import { chunkPage, type TextRange } from '../domain/chunks/chunk-page.js';
import { chunkTable, tableByPage, type TableOnPage } from '../domain/chunks/chunk-table.js';
import { PageWords } from '../domain/chunks/page-words.js';
import { detectLanguage } from '../platform/language/detect-language.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { ParseRef } from './ingest-steps.js';

/** What is held in memory at a time. */
const AT_ONCE = { limit: 50, bytes: 16 * 1024 * 1024 };
/** Of a page whose language cannot be told, where no other page of the document has one. */
const UNKNOWN = 'und';

/** Makes what was read searchable: stretches of text, and rows of tables with their header. Done again it comes to the same. */
export async function indexVersion(on: IngestDependencies, parse: ParseRef, signal: AbortSignal): Promise<void> {
  await on.record.inOrganization(parse.orgId, (tx) => moveIngest(tx, parse, { status: 'indexing', stage: 'index' }));
  const index = new Indexing(on, parse, signal);
  await index.addPages();
  await index.addTables();
  await index.noteLanguage();
}

/** Chunks of one document, numbered in the order in which they are made. */
class Indexing {
  private written = 0;
  private language: string | null = null;
  private readonly languages = new Map<string, number>();
  private readonly ofPage = new Map<number, string>();
  /** Of the page that was asked for last: a sheet may have thousands of tables. */
  private words: { pageNumber: number; words: PageWords; inTables: Set<string> } | null = null;
  /** Sheets with tables. */
  private readonly sheets = new Set<number>();

  constructor(
    private readonly on: IngestDependencies,
    private readonly parse: ParseRef,
    private readonly signal: AbortSignal,
  ) {}

  async addPages(): Promise<void> {
    const { parseId } = this.parse;
    for (let after: number | null = 0; after !== null;) {
      this.signal.throwIfAborted();
      const asked: NumberedPart = { after, ...AT_ONCE };
      const { rows, hasNext } = await this.inOrganization((tx) => listPages(tx, parseId, asked));
      await this.inOrganization((tx) => writeChunks(tx, parseId, this.chunksOf(rows)));
      after = hasNext ? (rows.at(-1)?.page_number ?? null) : null;
    }
  }

  /** Sheets are found by their tables, and by what stands outside of these. */
  private *chunksOf(pages: readonly PageEntity[]): Generator<Chunk> {
    for (const { page_number: pageNumber, text, source, table_count } of pages) {
      const language = this.languageOf(pageNumber, text);
      if (source === 'cell' && table_count > 0) this.sheets.add(pageNumber);
      else yield* this.chunksOfText(pageNumber, language, text, { from: 0, to: text.length });
    }
  }

  private *chunksOfText(pageNumber: number, language: string, text: string, part: TextRange): Generator<Chunk> {
    for (const range of chunkPage(text.slice(part.from, part.to))) {
      const [charsFrom, charsTo] = [part.from + range.from, part.from + range.to];
      const place = { pageNumber, charsFrom, charsTo, cellRange: null };
      yield { ...place, chunkNumber: (this.written += 1), language, body: text.slice(charsFrom, charsTo) };
    }
  }

  /** A page of numbers is taken to be in the language of those before it. */
  private languageOf(pageNumber: number, text: string): string {
    const language = detectLanguage(text);
    if (language !== null) this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    this.language = language ?? this.language;
    this.ofPage.set(pageNumber, this.language ?? UNKNOWN);
    return this.language ?? UNKNOWN;
  }

  async addTables(): Promise<void> {
    const { parseId } = this.parse;
    for (let after: number | null = 0; after !== null;) {
      const asked: NumberedPart & { page: null } = { after, page: null, ...AT_ONCE };
      const { rows, hasNext } = await this.inOrganization((tx) => listTables(tx, parseId, asked));
      for (const { content } of rows) for (const part of tableByPage(content)) await this.addRows(part);
      after = hasNext ? (rows.at(-1)?.table_number ?? null) : null;
    }
    await this.leavePage();
  }

  private async addRows(part: TableOnPage): Promise<void> {
    this.signal.throwIfAborted();
    const { words, inTables } = await this.wordsOf(part.pageNumber);
    for (const { cell } of part.cells) if (cell !== undefined) inTables.add(cell);
    await this.inOrganization((tx) => writeChunks(tx, this.parse.parseId, this.chunksOfRows(part, words)));
  }

  private *chunksOfRows(part: TableOnPage, words: PageWords): Generator<Chunk> {
    const { pageNumber } = part;
    const language = this.ofPage.get(pageNumber) ?? UNKNOWN;
    for (const { from, to, cellRange, body } of chunkTable(part, words)) {
      const place = { pageNumber, charsFrom: from, charsTo: to, cellRange };
      yield { ...place, chunkNumber: (this.written += 1), language, body };
    }
  }

  private async wordsOf(pageNumber: number): Promise<{ words: PageWords; inTables: Set<string> }> {
    if (this.words?.pageNumber === pageNumber) return this.words;
    await this.leavePage();
    const page = await this.inOrganization((tx) =>
      tx.manager.findOne(PageEntity, {
        select: { page_number: true, words_key: true },
        where: { parse_id: this.parse.parseId, page_number: pageNumber },
      }),
    );
    const key = page?.words_key ?? null;
    const words = new PageWords(key === null ? [] : (await readPageDetails(this.on.store, key)).words);
    this.words = { pageNumber, words, inTables: new Set() };
    return this.words;
  }

  /** All tables of a page were added: of a sheet there is left what stands outside of them. */
  private async leavePage(): Promise<void> {
    const left = this.words;
    this.words = null;
    if (left === null || !this.sheets.has(left.pageNumber)) return;
    const { parseId } = this.parse;
    const { pageNumber, words, inTables } = left;
    await this.inOrganization(async (tx) => {
      const { text } = await tx.manager.findOneOrFail(PageEntity, {
        select: { page_number: true, text: true },
        where: { parse_id: parseId, page_number: pageNumber },
      });
      await writeChunks(tx, parseId, this.chunksOutside(pageNumber, text, words.outside(inTables)));
    });
  }

  private *chunksOutside(pageNumber: number, text: string, stretches: readonly TextRange[]): Generator<Chunk> {
    const language = this.ofPage.get(pageNumber) ?? UNKNOWN;
    for (const stretch of stretches) yield* this.chunksOfText(pageNumber, language, text, stretch);
  }

  private inOrganization<T>(work: (tx: RecordTransaction) => Promise<T>): Promise<T> {
    return this.on.record.inOrganization(this.parse.orgId, work);
  }

  /** The language of most pages is that of the document. */
  async noteLanguage(): Promise<void> {
    const [most] = [...this.languages].sort(([, a], [, b]) => b - a);
    if (most === undefined) return;
    const { parseId } = this.parse;
    await this.inOrganization((tx) =>
      tx.manager.update(ParseEntity, { id: parseId, status: 'running' }, { language: most[0] }),
    );
  }
}
