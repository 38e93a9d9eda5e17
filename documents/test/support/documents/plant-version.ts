import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';

/** A version of a document, which waits to be read. */
export interface PlantedVersion {
  documentId: string;
  versionId: string;
  version: number;
}

/** Rows as a completed upload leaves them, by the owner of the database. A name that the project has gets a further version. */
export async function plantVersion(
  owner: pg.Pool,
  { orgId, projectId }: { orgId: string; projectId: string },
  { name = 'report.txt', sizeBytes = 4 } = {},
): Promise<PlantedVersion> {
  const versionId = uuidv7();
  const { rows } = await owner.query<{ id: string }>(
    'select id from documents where project_id = $1 and name = $2 and deleted_at is null',
    [projectId, name],
  );
  const documentId = rows[0]?.id ?? uuidv7();
  if (rows.length === 0) {
    const document = 'insert into documents (id, org_id, project_id, name) values ($1, $2, $3, $4)';
    await owner.query(document, [documentId, orgId, projectId, name]);
  }
  const made = await owner.query<{ version: number }>(
    `insert into document_versions (id, org_id, project_id, document_id, version, blob_key, size_bytes)
     select $1, $2, $3, $4, count(*) + 1, $5, $6 from document_versions where document_id = $4 returning version`,
    [versionId, orgId, projectId, documentId, originalKey(versionId), sizeBytes],
  );
  await owner.query('update documents set latest_version_id = $1 where id = $2', [versionId, documentId]);
  return { documentId, versionId, version: made.rows[0]?.version ?? 0 };
}
