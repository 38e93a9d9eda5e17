import { readPackedDetails } from '../core/pages/page-details.js';
import type { PageEntity } from '../core/pages/page.entity.js';
import { listPages, listTables, type NumberedPart } from '../core/pages/read-version.js';
import type { RunSource } from '../core/extractions/item-moves.js';
import type { Record as DocsvcRecord } from '../core/record/record.js';
import { clipTable } from '../domain/extraction/run/join-documents.js';
import type { Table } from '../domain/page-model.js';
import type { BlobStore } from '../platform/blobs/blob-store.js';
import type { PackedPage } from '../platform/extraction/engine-messages.js';
import type { EngineProcess } from '../platform/extraction/engine-process.js';

/** What is held in memory at a time. */
const AT_ONCE = { limit: 50, bytes: 16 * 1024 * 1024 };

interface Place {
  record: DocsvcRecord;
  store: Pick<BlobStore, 'readRange'>;
  orgId: string;
}

/** What is sent from where, and to whom. */
class Sending {
  constructor(
    private readonly place: Place,
    private readonly engine: Pick<EngineProcess, 'send'>,
    private readonly parseId: string,
    private readonly range: { first: number; last: number },
    private readonly signal: AbortSignal,
  ) {}

  async pages(): Promise<number> {
    const { record, orgId } = this.place;
    const { first, last } = this.range;
    let sent = 0;
    for (let after: number | null = first - 1; after !== null && after < last;) {
      this.signal.throwIfAborted();
      const asked: NumberedPart = { after, ...AT_ONCE };
      const { rows, hasNext } = await record.inOrganization(orgId, (tx) => listPages(tx, this.parseId, asked));
      const pages = await this.pack(rows.filter(({ page_number }) => page_number <= last));
      await this.engine.send({ kind: 'pages', pages });
      sent += pages.length;
      after = hasNext ? (rows.at(-1)?.page_number ?? null) : null;
    }
    return sent;
  }

  private async pack(rows: readonly PageEntity[]): Promise<PackedPage[]> {
    const pages: PackedPage[] = [];
    for (const row of rows) {
      if (row.words_key === null) continue;
      pages.push({ page: headOf(row), details: await readPackedDetails(this.place.store, row.words_key) });
    }
    return pages;
  }

  async tables(): Promise<void> {
    const { record, orgId } = this.place;
    const { first, last } = this.range;
    for (let after: number | null = 0; after !== null;) {
      this.signal.throwIfAborted();
      const asked: NumberedPart & { page: null } = { after, page: null, ...AT_ONCE };
      const { rows, hasNext } = await record.inOrganization(orgId, (tx) => listTables(tx, this.parseId, asked));
      const tables = rows.map(({ content }) => clipTable(content, first, last));
      await this.engine.send({ kind: 'tables', tables: tables.filter((table): table is Table => table !== null) });
      after = hasNext ? (rows.at(-1)?.table_number ?? null) : null;
    }
  }
}

/**
 * Sends what was read of a version to the engine, batch by batch and packed as it is kept.
 *
 * @returns how many pages that were
 */
export async function sendSource(
  place: Place,
  engine: Pick<EngineProcess, 'send'>,
  source: RunSource,
  range: { first: number; last: number },
  signal: AbortSignal,
): Promise<number> {
  const { parse_id: parseId, document_id: documentId, document_name: documentName, page_count: pageCount } = source;
  if (parseId === null) throw new TypeError('a version without pages is not sent');
  const document = { documentId, documentName, documentVersionId: source.version_id };
  const asked = { first: range.first, last: Math.min(range.last, pageCount) };
  await engine.send({ kind: 'document', document, pageCount, asked });
  const sending = new Sending(place, engine, parseId, range, signal);
  const sent = await sending.pages();
  await sending.tables();
  return sent;
}

function headOf(row: PageEntity): PackedPage['page'] {
  return {
    pageNumber: row.page_number,
    ...(row.label === null ? {} : { label: row.label }),
    ...{ width: row.width, height: row.height, unit: row.unit, rotation: row.rotation },
    ...(row.sheet_name === null ? {} : { sheetName: row.sheet_name }),
    ...{ text: row.text, source: row.source, ocrConfidence: row.ocr_confidence },
  };
}
