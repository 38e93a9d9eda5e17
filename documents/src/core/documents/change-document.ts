import { IsNull } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';
import { isUniqueViolation } from '../../../../src/platform/postgres/database-errors.js';
import { CLOCK, updateRow } from '../../../../src/platform/postgres/write-rows.js';
import { DocsvcError } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { appendEvent } from '../events/append-event.js';
import type { RecordTransaction } from '../record/record.js';
import { DocumentEntity } from './document.entity.js';

/** What may be changed of a document; what is undefined stays. */
export interface DocumentChange {
  name?: string | undefined;
  metadata?: JsonObject | undefined;
  labels?: string[] | undefined;
}

/**
 * Changes a document.
 *
 * @param rowVersion that the caller has read; null changes whatever is there
 * @throws DocsvcError `not_found`, `version_conflict` when it has changed since, `conflict` when another document has the name
 */
export async function changeDocument(
  tx: RecordTransaction,
  id: string,
  { name, metadata, labels }: DocumentChange,
  rowVersion: number | null,
): Promise<void> {
  const values = {
    ...(name === undefined ? {} : { name: normalizeName(name) }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(labels === undefined ? {} : { labels }),
  };
  try {
    const changed = await updateRow(
      tx,
      DocumentEntity,
      { id, deleted_at: IsNull(), ...(rowVersion === null ? {} : { row_version: rowVersion }) },
      { ...(values as object), updated_at: CLOCK, row_version: () => 'row_version + 1' },
    );
    if (changed === null) throw await unchanged(tx, id);
  } catch (error) {
    if (!isUniqueViolation(error, 'documents_name')) throw error;
    const message = 'another document of the project has this name';
    throw new DocsvcError('conflict', message, {
      cause: error,
      details: [{ path: 'name', code: 'conflict', message }],
    });
  }
}

/**
 * Deletes a document: it is gone for everybody, its name is free, and its bytes are purged later.
 *
 * @throws as {@link changeDocument} does
 */
export async function deleteDocument(tx: RecordTransaction, id: string, rowVersion: number | null): Promise<void> {
  const deleted = await updateRow(
    tx,
    DocumentEntity,
    { id, deleted_at: IsNull(), ...(rowVersion === null ? {} : { row_version: rowVersion }) },
    { deleted_at: CLOCK, updated_at: CLOCK, row_version: () => 'row_version + 1' },
  );
  if (deleted === null) throw await unchanged(tx, id);
  await tx.query('select docsvc_count_kept($1, $2, $3, $4)', [tx.organizationId, 'documents', -1, null]);
  await appendEvent(tx, {
    type: 'document.deleted',
    projectId: deleted.project_id,
    data: { documentId: id, status: 'deleted', links: {} },
  });
}

async function unchanged(tx: RecordTransaction, id: string): Promise<DocsvcError> {
  const there = await tx.manager.existsBy(DocumentEntity, { id, deleted_at: IsNull() });
  if (!there) return new DocsvcError('not_found', 'there is no such document');
  return new DocsvcError('version_conflict', 'the document has changed since it was read; read it again');
}
