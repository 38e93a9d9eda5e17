import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { findVersionFile } from '../../core/documents/version-file.js';
import { DocsvcError } from '../../domain/errors.js';
import { readByteRange } from '../../domain/transport/byte-range.js';
import type { PartRange } from '../../domain/uploads/part-plan.js';
import { DocumentStore } from '../foundation/store.module.js';
import type { SignatureQuery } from '../addresses/signature.dto.js';
import { SignedUrls } from '../addresses/signed-urls.js';

/** What a download is answered. */
export interface Download {
  status: 200 | 206 | 416;
  headers: Record<string, string>;
  body: Readable | undefined;
}

/** What is asked of a file. */
export interface Asked {
  range: string | undefined;
  /** Not the bytes themselves (RFC 9110, 9.3.2). */
  headersAlone: boolean;
}

/** Files under signed addresses. */
@Injectable()
export class DownloadsService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly urls: SignedUrls,
  ) {}

  /** @throws DocsvcError `forbidden` for an address that is not signed, `not_found`, `purged` */
  async open(versionId: string, signature: SignatureQuery, { range, headersAlone }: Asked): Promise<Download> {
    const signed = { method: 'GET', subjectId: versionId, partNumber: null } as const;
    const orgId = await this.urls.verify(signature, signed);
    const { record, store } = this.documents;
    const file = await record.inOrganization(orgId, (tx) => findVersionFile(tx, versionId));
    const head = await store.head(file.blobKey);
    if (head === null) throw new DocsvcError('purged', 'the bytes of this version are gone');
    const { sizeBytes } = head;
    const wanted = readByteRange(range, sizeBytes);
    const headers = { 'accept-ranges': 'bytes', etag: `"${versionId}"` };
    if (wanted === 'outside')
      return { status: 416, headers: { ...headers, 'content-range': `bytes */${sizeBytes}` }, body: undefined };
    const shown = {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-disposition': attachment(file.name),
    };
    // An empty stream, because Fastify takes the length of anything else for that of the file.
    const read = (part?: PartRange): Promise<Readable> =>
      headersAlone ? Promise.resolve(Readable.from([])) : store.readRange(file.blobKey, part);
    if (wanted === null) {
      const body = await read();
      return { status: 200, headers: { ...shown, 'content-length': String(sizeBytes) }, body };
    }
    const { offset, length } = wanted;
    return {
      status: 206,
      headers: {
        ...shown,
        'content-length': String(length),
        'content-range': `bytes ${offset}-${offset + length - 1}/${sizeBytes}`,
      },
      body: await read(wanted),
    };
  }
}

/** Never shown inline, whatever it is (RFC 6266, RFC 8187). */
function attachment(name: string): string {
  const plain = name.replace(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
