import type { VersionPlace } from '../../core/documents/version-place.js';
import { readDocument, type DocumentView } from '../../core/documents/view-documents.js';
import { readVersion, type VersionView } from '../../core/documents/view-versions.js';
import type { RecordTransaction } from '../../core/record/record.js';
import type { AddedVersion, Document, DocumentVersion } from './documents.dto.js';

export type { AddedVersion } from './documents.dto.js';

/** A document as it is answered. */
export function viewDocument({ rowVersion: _rowVersion, ...document }: DocumentView): Document {
  return document;
}

/** A version as it is answered. */
export function viewVersion(version: VersionView): DocumentVersion {
  const { pagesDone, pagesTotal } = version;
  return {
    id: version.id,
    documentId: version.documentId,
    version: version.version,
    status: version.status,
    stage: version.stage,
    progress: { pagesDone, pagesTotal },
    sizeBytes: version.sizeBytes,
    sha256: version.sha256?.toString('hex') ?? null,
    contentType: version.contentType,
    pageCount: version.pageCount,
    ocrPages: version.ocrPages,
    failedPages: version.failedPages,
    language: version.language,
    warnings: version.warnings,
    error: version.error,
    createdAt: version.createdAt,
    readyAt: version.readyAt,
  };
}

/** What whoever made a version is answered. */
export async function readPlace(tx: RecordTransaction, made: VersionPlace): Promise<AddedVersion> {
  return {
    document: viewDocument(await readDocument(tx, made.documentId)),
    version: viewVersion(await readVersion(tx, made.documentId, made.version)),
  };
}
