import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { readBoundedDetails } from '../../core/pages/page-details.js';
import type { PageEntity } from '../../core/pages/page.entity.js';
import {
  findPage,
  listPages,
  listTables,
  readableVersion,
  type NumberedPart,
  type ReadVersion,
} from '../../core/pages/read-version.js';
import type { RecordTransaction } from '../../core/record/record.js';
import { DocsvcError } from '../../domain/errors.js';
import { findDocument } from '../documents/documents.service.js';
import { DocumentStore } from '../foundation/store.module.js';
import { limitOf, openPosition, sealCursor, type Page, type PageQuery } from '../http/page.js';
import {
  viewPage,
  viewTable,
  type OnePageQuery,
  type PagesQuery,
  type PageView,
  type TablesQuery,
  type TableView,
} from './pages.dto.js';

const MIB = 1024 * 1024;
/** Of what is answered at once. A list ends there and goes on behind its cursor; one page or table that is larger is answered alone. */
const ANSWER_BYTES = 8 * MIB;
/** Of the words of one page, as they are kept. */
const WORDS_BYTES = 64 * MIB;
/** A word with its box and places. */
const WORD_BYTES = 256;
const NUMBER = /^[1-9]\d{0,8}$/;

/** What versions say, page by page. */
@Injectable()
export class PagesService {
  constructor(private readonly documents: DocumentStore) {}

  /** @throws DocsvcError `not_found`, and why a version has no pages */
  async list(caller: Caller, documentId: string, query: PagesQuery): Promise<Page<PageView>> {
    const list = new NumberedList(caller, `pages of ${documentId}`, query);
    const { of, found } = await this.reading(caller, documentId, query.version, 'pages.read', async (tx, of) => ({
      of,
      found: await listPages(tx, of.parseId, list.asked),
    }));
    const data: PageView[] = [];
    let bytes = 0;
    for (const row of found.rows) {
      const view = viewPage(of, row, await this.detailsOf(row, query.include));
      bytes += Buffer.byteLength(view.text) + (view.words?.length ?? 0) * WORD_BYTES;
      if (data.length > 0 && bytes > ANSWER_BYTES) break;
      data.push(view);
    }
    const hasNext = found.hasNext || data.length < found.rows.length;
    return { data, nextCursor: list.cursorBehind(data.at(-1)?.pageNumber, hasNext) };
  }

  /** @throws DocsvcError `not_found`, and why a version has no pages */
  async read(caller: Caller, documentId: string, pageNumber: string, query: OnePageQuery): Promise<PageView> {
    const number = pageNumberOf(pageNumber);
    const { of, row } = await this.reading(caller, documentId, query.version, 'page.read', async (tx, of) => ({
      of,
      row: await findPage(tx, of, number),
    }));
    return viewPage(of, row, await this.detailsOf(row, query.include));
  }

  /** @throws DocsvcError `not_found`, and why a version has no pages */
  async tables(caller: Caller, documentId: string, query: TablesQuery): Promise<Page<TableView>> {
    const list = new NumberedList(caller, `tables of ${documentId}`, query);
    const page = query.page === undefined ? null : Number(query.page);
    const { of, found } = await this.reading(caller, documentId, query.version, 'tables.read', async (tx, of) => ({
      of,
      found: await listTables(tx, of.parseId, { ...list.asked, page }),
    }));
    const data = found.rows.map((row) => viewTable(of, row.table_number, row.content));
    return { data, nextCursor: list.cursorBehind(data.at(-1)?.tableNumber, found.hasNext) };
  }

  /** @throws DocsvcError `too_large` */
  private async detailsOf({ words_key, page_number }: PageEntity, include: 'words' | undefined) {
    if (include === undefined || words_key === null) return null;
    const details = await readBoundedDetails(this.documents.store, words_key, WORDS_BYTES);
    if (details !== null) return details;
    throw new DocsvcError(
      'too_large',
      `the words of page ${page_number} take more than ${WORDS_BYTES / MIB} MiB: leave include out to read its text`,
    );
  }

  /** Finds the version and puts the read on the audit. */
  private reading<T>(
    caller: Caller,
    documentId: string,
    version: string | undefined,
    action: string,
    work: (tx: RecordTransaction, of: ReadVersion) => Promise<T>,
  ): Promise<T> {
    return this.documents.inOrganization(caller, async (tx) => {
      const { projectId } = await findDocument(tx, caller, documentId);
      const of = await readableVersion(tx, documentId, version === undefined ? null : Number(version));
      const result = await work(tx, of);
      await recordAudit(tx, caller, {
        action,
        subjectKind: 'document',
        subjectId: documentId,
        projectId,
        detail: { version: of.version.version },
      });
      return result;
    });
  }
}

/** The number of a page in an address. @throws DocsvcError `not_found` for what is no number */
export function pageNumberOf(text: string): number {
  if (!NUMBER.test(text)) throw new DocsvcError('not_found', 'a page has a number, from 1 on');
  return Number(text);
}

/** A list in the order of numbers, whose cursors hold the last one of a page. */
class NumberedList {
  readonly asked: NumberedPart;

  constructor(
    private readonly caller: Caller,
    private readonly list: string,
    query: PageQuery,
  ) {
    const { cursor } = query;
    const after = cursor === undefined ? 0 : Number(openPosition(caller, list, cursor));
    this.asked = { after, limit: limitOf(query), bytes: ANSWER_BYTES };
  }

  cursorBehind(last: number | undefined, hasNext: boolean): string | null {
    return sealCursor(this.caller, this.list, hasNext && last !== undefined ? String(last) : null);
  }
}
