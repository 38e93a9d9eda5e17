import { IsNull } from 'typeorm';
import { DocsvcError } from '../../domain/errors.js';
import type { RecordTransaction } from '../record/record.js';
import { DocumentVersionEntity } from './document-version.entity.js';
import { DocumentEntity } from './document.entity.js';

/** The bytes of a version, and what they are called. */
export interface VersionFile {
  blobKey: string;
  name: string;
}

/** @throws DocsvcError `not_found`, also when its document is deleted */
export async function findVersionFile(tx: RecordTransaction, versionId: string): Promise<VersionFile> {
  const version = await tx.manager.findOneBy(DocumentVersionEntity, { id: versionId });
  const document = version === null ? null : await findDocument(tx, version.document_id);
  if (version === null || document === null) throw new DocsvcError('not_found', 'there is no such version');
  return { blobKey: version.blob_key, name: document.name };
}

function findDocument(tx: RecordTransaction, id: string): Promise<DocumentEntity | null> {
  return tx.manager.findOneBy(DocumentEntity, { id, deleted_at: IsNull() });
}
