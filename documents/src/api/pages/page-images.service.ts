import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { findPage, readableVersion, type ReadVersion } from '../../core/pages/read-version.js';
import { DocsvcError } from '../../domain/errors.js';
import type { ParseFailure } from '../../domain/page-model.js';
import { findDocument } from '../documents/documents.service.js';
import { DocumentStore } from '../foundation/store.module.js';
import { ReaderOfHost } from './reader-of-host.js';
import type { ImageQuery } from './pages.dto.js';
import { pageNumberOf } from './pages.service.js';

const DEFAULT_DPI = 100;
/** Pictures that are made at once, and those that may wait. */
const AT_ONCE = 1;
const MAX_WAITING = 16;
const MIB = 1024 * 1024;
/** Pictures that are kept, those asked for last: any page has one for each of 165 resolutions, which no store has room for. */
const KEPT_BYTES = 64 * MIB;
/** A larger picture is made each time, or a few would drive out all others. */
const MAX_KEPT_BYTES = 8 * MIB;
const PNG_BEGIN = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Pictures of pages, made in the jail when they are asked for and kept in memory while there is room. */
@Injectable()
export class PageImagesService {
  private readonly place = pLimit(AT_ONCE);
  private readonly kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    maxEntrySize: MAX_KEPT_BYTES,
    sizeCalculation: ({ length }) => length,
  });

  constructor(
    private readonly documents: DocumentStore,
    private readonly reader: ReaderOfHost,
  ) {}

  /**
   * @returns a PNG
   * @throws DocsvcError `not_found`, `unsupported_type` for what has no look, `password_required`, `unavailable`; why a version has no pages
   */
  async read(caller: Caller, documentId: string, page: string, query: ImageQuery): Promise<Buffer> {
    const pageNumber = pageNumberOf(page);
    const dpi = query.dpi === undefined ? DEFAULT_DPI : Number(query.dpi);
    const { record } = this.documents;
    const of = await record.inOrganization(caller.orgId, async (tx) => {
      const { projectId } = await findDocument(tx, caller, documentId);
      const found = await readableVersion(tx, documentId, query.version === undefined ? null : Number(query.version));
      await findPage(tx, found, pageNumber);
      const detail = { version: found.version.version, page: pageNumber, dpi };
      await recordAudit(tx, caller, {
        ...{ action: 'page_image.read', subjectKind: 'document', subjectId: documentId },
        ...{ projectId, detail },
      });
      return found;
    });
    const key = `${of.parseId} ${pageNumber} ${dpi}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    if (this.place.pendingCount >= MAX_WAITING) throw busy();
    return this.place(async () => {
      const png = this.kept.get(key) ?? (await this.render(of, pageNumber, dpi));
      this.kept.set(key, png);
      return png;
    });
  }

  private async render({ version }: ReadVersion, pageNumber: number, dpi: number): Promise<Buffer> {
    const reader = await this.reader.get();
    const document = await this.documents.store.localFile(version.blobKey);
    const sniffed = await reader.sniff(document, {});
    const format = sniffed.items[0]?.format ?? 'other';
    const { items, failure } = await reader.render(document, format, { pageNumber, dpi });
    if (failure !== null) throw refusalOf(failure);
    const png = Buffer.from(items[0]?.png ?? '', 'base64');
    if (!png.subarray(0, PNG_BEGIN.length).equals(PNG_BEGIN))
      throw new DocsvcError('internal', 'the page has no picture');
    return png;
  }
}

function busy(): DocsvcError {
  const message = 'too many pictures of pages are being made; try again in a moment';
  return new DocsvcError('unavailable', message, { retryAfterSeconds: 2 });
}

function refusalOf(failure: ParseFailure): DocsvcError {
  switch (failure.kind) {
    case 'unsupported':
      return new DocsvcError('unsupported_type', 'pages of sheets and texts have no picture; read their text');
    case 'password_required':
      return new DocsvcError('password_required', 'the document is encrypted: its pages can be read, but not be shown');
    default:
      return new DocsvcError('conflict', `the page cannot be shown (${failure.kind})`);
  }
}
