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
  if (version === null) throw gone();
  const document = await tx.manager.findOneBy(DocumentEntity, { id: version.document_id, deleted_at: IsNull() });
  if (document === null) throw gone();
  return { blobKey: version.blob_key, name: document.name };
}

function gone(): DocsvcError {
  return new DocsvcError('not_found', 'there is no such version');
}
