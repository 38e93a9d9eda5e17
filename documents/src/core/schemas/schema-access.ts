import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import { requireProject } from '../projects/project-access.js';
import type { RecordTransaction } from '../record/record.js';
import { SchemaVersionEntity } from './schema-version.entity.js';
import { SchemaEntity } from './schema.entity.js';

const ABSENT = 'no such version of a schema';

/**
 * The schema of that id, archived or not.
 *
 * @param absent what is said of one that is not found
 * @throws DocsvcError `not_found` for one that is absent, of another organization, or of a project that the credential may not use
 */
export async function requireSchema(
  tx: RecordTransaction,
  caller: Caller,
  id: string,
  absent = 'no such schema',
): Promise<SchemaEntity> {
  const schema = await tx.manager.findOneBy(SchemaEntity, { id });
  if (schema === null) throw new DocsvcError('not_found', absent);
  await requireProject(tx, caller, schema.project_id, absent);
  return schema;
}

/** The same, held until the transaction ends, so that versions are added one after the other. @throws DocsvcError `not_found` */
export async function holdSchema(tx: RecordTransaction, caller: Caller, id: string): Promise<SchemaEntity> {
  await requireSchema(tx, caller, id);
  return tx.manager.findOneOrFail(SchemaEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
}

/** The version of that id. @throws DocsvcError `not_found` as {@link requireSchema} does */
export async function requireSchemaVersion(
  tx: RecordTransaction,
  caller: Caller,
  id: string,
): Promise<SchemaVersionEntity> {
  const version = await tx.manager.findOneBy(SchemaVersionEntity, { id });
  if (version === null) throw new DocsvcError('not_found', ABSENT);
  await requireSchema(tx, caller, version.schema_id, ABSENT);
  return version;
}
