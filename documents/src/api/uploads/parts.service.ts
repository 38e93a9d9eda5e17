import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PartSlots } from '../../core/uploads/part-slots.js';
import { receivePart } from '../../core/uploads/receive-part.js';
import { DocsvcError } from '../../domain/errors.js';
import { readContentDigest } from '../../domain/transport/content-digest.js';
import { DocumentStore } from '../foundation/store.module.js';
import type { SignatureQuery } from '../addresses/signature.dto.js';
import { SignedUrls } from '../addresses/signed-urls.js';
import type { SentPartAnswer } from './uploads.dto.js';

const PART_NUMBER = /^[1-9]\d{0,4}$/;

/** Parts that come to the API itself. */
@Injectable()
export class PartsService {
  private readonly slots = new PartSlots();

  constructor(
    private readonly documents: DocumentStore,
    private readonly urls: SignedUrls,
  ) {}

  /** @throws DocsvcError `forbidden` for an address that is not signed, and as `receivePart` of core does */
  async receive(
    uploadId: string,
    number: string,
    signature: SignatureQuery,
    { raw, headers }: FastifyRequest,
  ): Promise<SentPartAnswer> {
    if (!PART_NUMBER.test(number)) throw new DocsvcError('not_found', 'a part has a number, from 1 on');
    const partNumber = Number(number);
    const orgId = await this.urls.verify(signature, { method: 'PUT', subjectId: uploadId, partNumber });
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw new DocsvcError('unsupported_type', 'parts are sent without Content-Encoding');
    const digest = headers['content-digest'];
    const etag = await receivePart(
      { ...this.documents, slots: this.slots },
      {
        orgId,
        uploadId,
        partNumber,
        body: raw,
        contentLength: headers['content-length'] === undefined ? null : Number(headers['content-length']),
        sha256: readContentDigest(Array.isArray(digest) ? digest.join(',') : digest),
      },
    );
    return { partNumber, etag };
  }
}
