import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** A run that was begun two minutes ago and that nobody has taken up, by the owner of the database. @returns its id */
export async function plantRun(
  owner: pg.Pool,
  { orgId, projectId }: { orgId: string; projectId: string },
  versionIds: readonly string[],
): Promise<string> {
  const [schemaId, schemaVersionId, id] = [randomUUID(), randomUUID(), uuidv7()];
  await owner.query(
    'insert into schemas (id, org_id, project_id, name, latest_version_id) values ($1, $2, $3, $4, $5)',
    [schemaId, orgId, projectId, `schema ${schemaId}`, schemaVersionId],
  );
  const jsonSchema = { type: 'object', properties: { a: { type: 'string', description: 'The letter.' } } };
  await owner.query(
    `insert into schema_versions (id, org_id, schema_id, version, json_schema, digest, source, field_count)
     values ($1, $2, $3, 1, $4, sha256('x'), 'manual', 1)`,
    [schemaVersionId, orgId, schemaId, jsonSchema],
  );
  await owner.query(
    `insert into extractions (id, org_id, project_id, schema_id, schema_version_id, external_id, request_digest, mode, engine,
       document_version_ids, items_total, created_at)
     values ($1, $2, $3, $4, $5, $6, sha256('x'), 'per_document', 'local', $7, $8, now() - interval '2 minutes')`,
    [id, orgId, projectId, schemaId, schemaVersionId, `run ${id}`, versionIds, versionIds.length],
  );
  await owner.query('select docsvc_add_items($1, 1, false)', [id]);
  return id;
}
