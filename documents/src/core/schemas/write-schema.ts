import { IsNull } from 'typeorm';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { CLOCK, insertRows } from '../../../../src/platform/postgres/write-rows.js';
import { DocsvcError } from '../../domain/errors.js';
import { ProjectEntity } from '../projects/project.entity.js';
import type { RecordTransaction } from '../record/record.js';
import type { AdmittedSchema } from './admit-schema.js';
import { SchemaVersionEntity, type SchemaSource } from './schema-version.entity.js';
import { SchemaEntity } from './schema.entity.js';

export interface NewSchemaRow {
  projectId: string;
  name: string;
  description: string | null;
  source: SchemaSource;
  schema: AdmittedSchema;
}

/** A schema with one of its versions, and whether this call has made it. */
export interface WrittenVersion {
  schema: SchemaEntity;
  version: SchemaVersionEntity;
  isNew: boolean;
}

/**
 * Makes a schema with its first version. One of the same name that already has a version which says the same is answered as it is, so that
 * whoever repeats a request gets what the first one made.
 *
 * @param most schemas that a project may have
 * @throws DocsvcError `conflict` for a name under which the project has another schema, `quota_exceeded` for one schema too many
 */
export async function makeSchema(
  tx: RecordTransaction,
  { projectId, name, description, source, schema }: NewSchemaRow,
  most: number,
): Promise<WrittenVersion> {
  // Others that make one at the same time wait, so that they see this one and count it.
  await tx.manager.findOne(ProjectEntity, { where: { id: projectId }, lock: { mode: 'pessimistic_write' } });
  const there = await tx.manager.findOneBy(SchemaEntity, { project_id: projectId, name, archived_at: IsNull() });
  if (there !== null) return sameOf(tx, there, schema);
  if ((await tx.manager.countBy(SchemaEntity, { project_id: projectId, archived_at: IsNull() })) >= most) {
    throw new DocsvcError('quota_exceeded', `the project has ${most} schemas, which is all it may; archive one first`);
  }
  const [id, versionId] = [newRowId(), newRowId()];
  await insertRows(tx, SchemaEntity, [
    { id, org_id: tx.organizationId, project_id: projectId, name, description, latest_version_id: versionId },
  ]);
  const version = await insertVersion(tx, { id: versionId, schemaId: id, version: 1, source, schema });
  return { schema: await tx.manager.findOneByOrFail(SchemaEntity, { id }), version, isNew: true };
}

/**
 * Adds a version to a schema that the transaction holds; one that says the same is answered in its place, however old it is.
 *
 * @throws DocsvcError `version_conflict` when `baseVersion` is not the newest any more, `conflict` for an archived schema
 */
export async function addSchemaVersion(
  tx: RecordTransaction,
  row: SchemaEntity,
  { schema, source, baseVersion }: { schema: AdmittedSchema; source: SchemaSource; baseVersion: number },
): Promise<WrittenVersion> {
  const known = await findSame(tx, row.id, schema);
  if (known !== null) return { schema: row, version: known, isNew: false };
  if (row.archived_at !== null)
    throw new DocsvcError('conflict', 'the schema is archived: it gets no versions any more');
  if (baseVersion !== row.latest_version) {
    const message = `is ${baseVersion}, and the newest version is ${row.latest_version}; read that one and repeat`;
    throw new DocsvcError('version_conflict', `baseVersion: ${message}`, {
      details: [{ path: 'baseVersion', code: 'version_conflict', message }],
    });
  }
  const [id, number] = [newRowId(), row.latest_version + 1];
  const version = await insertVersion(tx, { id, schemaId: row.id, version: number, source, schema });
  await tx.manager.update(
    SchemaEntity,
    { id: row.id },
    { latest_version: number, latest_version_id: id, updated_at: CLOCK },
  );
  return { schema: await tx.manager.findOneByOrFail(SchemaEntity, { id: row.id }), version, isNew: true };
}

async function sameOf(tx: RecordTransaction, there: SchemaEntity, schema: AdmittedSchema): Promise<WrittenVersion> {
  const version = await findSame(tx, there.id, schema);
  if (version !== null) return { schema: there, version, isNew: false };
  const message = `the project has another schema of this name, ${there.id}; add a version to it, or choose another name`;
  throw new DocsvcError('conflict', `name: ${message}`, { details: [{ path: 'name', code: 'conflict', message }] });
}

function findSame(
  tx: RecordTransaction,
  schemaId: string,
  { digest }: AdmittedSchema,
): Promise<SchemaVersionEntity | null> {
  return tx.manager.findOneBy(SchemaVersionEntity, { schema_id: schemaId, digest });
}

interface NewVersionRow {
  id: string;
  schemaId: string;
  version: number;
  source: SchemaSource;
  schema: AdmittedSchema;
}

async function insertVersion(
  tx: RecordTransaction,
  { id, schemaId, version, source, schema }: NewVersionRow,
): Promise<SchemaVersionEntity> {
  const { jsonSchema, digest, fieldCount } = schema;
  await insertRows(tx, SchemaVersionEntity, [
    {
      ...{ id, org_id: tx.organizationId, schema_id: schemaId, version, source },
      ...{ json_schema: jsonSchema, digest, field_count: fieldCount },
    },
  ]);
  return tx.manager.findOneByOrFail(SchemaVersionEntity, { id });
}
