import type { JsonObject } from '../../../../src/domain/json.js';
import { DocsvcError, type DocsvcErrorCode } from '../../domain/errors.js';
import { checkSchema, describeFaults } from '../../domain/schemas/check-schema.js';
import type { SchemaFault } from '../../domain/schemas/schema-fault.js';
import { digestSchema } from '../../domain/schemas/schema-digest.js';
import { SCHEMA_LIMITS } from '../../domain/schemas/schema-limits.js';

/** A schema that extraction takes, with what is kept beside it. */
export interface AdmittedSchema {
  jsonSchema: JsonObject;
  digest: Buffer;
  fieldCount: number;
}

/**
 * @throws DocsvcError with every fault in its details: `too_large` for one of more bytes than a schema has, `description_missing` where nothing
 *   but descriptions is missing, otherwise `schema_invalid`
 */
export function admitSchema(jsonSchema: JsonObject): AdmittedSchema {
  const { faults, fieldCount } = checkSchema(jsonSchema);
  if (faults.length > 0) throw refusalOf(jsonSchema, faults);
  return { jsonSchema, digest: digestSchema(jsonSchema), fieldCount };
}

function refusalOf(jsonSchema: JsonObject, faults: readonly SchemaFault[]): DocsvcError {
  const details = faults.map(({ path, code, message, suggestion }) => ({
    path,
    code,
    message: suggestion === null ? message : `${message}; ${suggestion}`,
  }));
  return new DocsvcError(codeOf(jsonSchema, faults), describeFaults(faults), { details });
}

function codeOf(jsonSchema: JsonObject, faults: readonly SchemaFault[]): DocsvcErrorCode {
  if (Buffer.byteLength(JSON.stringify(jsonSchema)) > SCHEMA_LIMITS.bytes) return 'too_large';
  return faults.every(({ code }) => code === 'description_missing') ? 'description_missing' : 'schema_invalid';
}
