import { appendEvent } from '../events/append-event.js';
import type { RecordTransaction } from '../record/record.js';
import type { SchemaVersionEntity } from './schema-version.entity.js';
import type { SchemaEntity } from './schema.entity.js';

/** Tells webhooks of a new version of a schema, in the transaction that makes it. */
export async function announceSchemaVersion(
  tx: RecordTransaction,
  { id: schemaId, project_id: projectId }: SchemaEntity,
  { id: schemaVersionId, version, source }: SchemaVersionEntity,
): Promise<void> {
  await appendEvent(tx, {
    type: 'schema.version_created',
    projectId,
    data: {
      ...{ schemaId, schemaVersionId, version, source, status: 'created' },
      links: { schema: `/api/schemas/${schemaId}`, version: `/api/schema-versions/${schemaVersionId}` },
    },
  });
}
