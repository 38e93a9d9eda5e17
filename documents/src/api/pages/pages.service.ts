import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { readPageDetails } from '../../core/pages/page-details.js';
import type { PageEntity } from '../../core/pages/page.entity.js';
import { findPage, listPages, listTables, readableVersion, type ReadVersion } from '../../core/pages/read-version.js';
import type { RecordTransaction } from '../../core/record/record.js';
import { DocsvcError } from '../../domain/errors.js';
import { findDocument } from '../documents/documents.service.js';
import { DocumentStore } from '../foundation/store.module.js';
import { openPosition, sealCursor, type Page, type PageQuery } from '../http/page.js';
import {
  viewPage,
  viewTable,
  type OnePageQuery,
  type PagesQuery,
  type PageView,
  type TablesQuery,
  type TableView,
} from './pages.dto.js';

const DEFAULT_LIMIT = 50;
const NUMBER = /^[1-9]\d{0,8}$/;

/** What versions say, page by page. */
@Injectable()
export class PagesService {
  constructor(private readonly documents: DocumentStore) {}

  /** @throws DocsvcError `not_found`, and why a version has no pages */
  async list(caller: Caller, documentId: string, query: PagesQuery): Promise<Page<PageView>> {
    const list = new NumberedList(caller, `pages of ${documentId}`, query);
    const { of, rows } = await this.reading(caller, documentId, query.version, 'pages.read', async (tx, of) => ({
      of,
      rows: await listPages(tx, of.parseId, list.asked),
    }));
    const page = list.answer(rows, (row) => row.page_number);
    const data = [];
    for (const row of page.rows) data.push(viewPage(of, row, await this.detailsOf(row, query.include)));
    return { data, nextCursor: page.nextCursor };
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
    const { of, rows } = await this.reading(caller, documentId, query.version, 'tables.read', async (tx, of) => ({
      of,
      rows: await listTables(tx, of.parseId, { ...list.asked, page }),
    }));
    const answered = list.answer(rows, (row) => row.table_number);
    const data = answered.rows.map((row) => viewTable(of, row.table_number, row.content));
    return { data, nextCursor: answered.nextCursor };
  }

  private async detailsOf({ words_key }: PageEntity, include: 'words' | undefined) {
    if (include === undefined || words_key === null) return null;
    return readPageDetails(this.documents.store, words_key);
  }

  /** Finds the version and puts the read on the audit. */
  private reading<T>(
    caller: Caller,
    documentId: string,
    version: string | undefined,
    action: string,
    work: (tx: RecordTransaction, of: ReadVersion) => Promise<T>,
  ): Promise<T> {
    return this.documents.record.inOrganization(caller.orgId, async (tx) => {
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
  readonly asked: { after: number; limit: number };

  constructor(
    private readonly caller: Caller,
    private readonly list: string,
    { limit, cursor }: PageQuery,
  ) {
    const after = cursor === undefined ? 0 : Number(openPosition(caller, list, cursor));
    // One more tells whether there is a next page.
    this.asked = { after, limit: Number(limit ?? DEFAULT_LIMIT) + 1 };
  }

  answer<R>(found: R[], numberOf: (row: R) => number): { rows: R[]; nextCursor: string | null } {
    const rows = found.slice(0, this.asked.limit - 1);
    const last = rows.at(-1);
    const position = found.length < this.asked.limit || last === undefined ? null : String(numberOf(last));
    return { rows, nextCursor: sealCursor(this.caller, this.list, position) };
  }
}
