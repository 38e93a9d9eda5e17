import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { restoreVersion } from '../../core/documents/restore-version.js';
import { listVersions, readVersion, type VersionView } from '../../core/documents/view-versions.js';
import type { RecordTransaction } from '../../core/record/record.js';
import { DocsvcError } from '../../domain/errors.js';
import { limitOf, openPosition, sealCursor, type Page, type PageQuery } from '../http/page.js';
import { DocumentStore } from '../foundation/store.module.js';
import { SignedUrls, type SignedUrl } from '../addresses/signed-urls.js';
import { readPlace, viewVersion } from './document-views.js';
import type { AddedVersion, DocumentVersion } from './documents.dto.js';
import { findDocument } from './documents.service.js';

const VERSION = /^[1-9]\d{0,8}$/;

/** Versions of documents, and their bytes. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly urls: SignedUrls,
  ) {}

  /** @throws DocsvcError `not_found` */
  async list(caller: Caller, documentId: string, query: PageQuery): Promise<Page<DocumentVersion>> {
    const list = `versions of ${documentId}`;
    const before = query.cursor === undefined ? null : Number(openPosition(caller, list, query.cursor));
    const limit = limitOf(query);
    const found = await this.documents.inOrganization(caller, async (tx) => {
      await findDocument(tx, caller, documentId);
      return listVersions(tx, documentId, { before, limit: limit + 1 });
    });
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)?.version : undefined;
    return { data: rows.map(viewVersion), nextCursor: sealCursor(caller, list, last?.toString() ?? null) };
  }

  /** @throws DocsvcError `not_found` */
  async read(caller: Caller, documentId: string, version: string): Promise<DocumentVersion> {
    return viewVersion(await this.documents.inOrganization(caller, (tx) => find(tx, caller, documentId, version)));
  }

  /** @throws DocsvcError `not_found`, `purged`, `quota_exceeded` */
  async restore(caller: Caller, documentId: string, version: string): Promise<AddedVersion> {
    const restored = await this.documents.inOrganization(caller, (tx) => find(tx, caller, documentId, version));
    const made = await restoreVersion(this.documents, caller.orgId, restored, (tx, place) =>
      recordAudit(tx, caller, {
        action: 'version.restored',
        subjectKind: 'document',
        subjectId: documentId,
        projectId: place.projectId,
        detail: { from: restored.version, version: place.version },
      }),
    );
    return this.documents.inOrganization(caller, (tx) => readPlace(tx, made));
  }

  /** Where the bytes of a version can be fetched. @throws DocsvcError `not_found`, `purged` */
  async download(caller: Caller, documentId: string, version: string | undefined): Promise<SignedUrl> {
    const found = await this.documents.inOrganization(caller, async (tx) => {
      const document = await findDocument(tx, caller, documentId);
      const asked = await find(tx, caller, documentId, version ?? String(document.latestVersion));
      await recordAudit(tx, caller, {
        action: 'version.downloaded',
        subjectKind: 'document',
        subjectId: documentId,
        projectId: document.projectId,
        detail: { version: asked.version },
      });
      return asked;
    });
    if ((await this.documents.store.head(found.blobKey)) === null)
      throw new DocsvcError('purged', `the bytes of version ${found.version} are gone`);
    return this.urls.ofVersion(caller, found.id);
  }
}

async function find(tx: RecordTransaction, caller: Caller, documentId: string, version: string): Promise<VersionView> {
  await findDocument(tx, caller, documentId);
  if (!VERSION.test(version)) throw new DocsvcError('not_found', 'a version has a number, from 1 on');
  return readVersion(tx, documentId, Number(version));
}
