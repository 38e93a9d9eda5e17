import { isUuid } from '../../../../src/domain/uuid.js';
import type { CliContext } from '../context/cli-context.js';
import { ApiError } from '../server/docsvc-api.js';
import type { Schemas } from '../server/schemas.js';
import { schemaId } from '../verbs/schema-verbs.js';

/** A version of a schema. */
export type SchemaVersion = Schemas['SchemaVersionView'];

/**
 * The newest version of a schema that somebody named by its id or by its name in the project; an id may be that of a version, too.
 *
 * @throws CliError `notFound`
 */
export async function schemaVersionOf(context: CliContext, named: string): Promise<SchemaVersion> {
  const id = encodeURIComponent(await schemaId(context, named));
  try {
    return (await context.api.object<Schemas['SchemaView']>(`/api/schemas/${id}`)).schemaVersion;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404 || !isUuid(named)) throw error;
    return context.api.object<SchemaVersion>(`/api/schema-versions/${id}`);
  }
}
