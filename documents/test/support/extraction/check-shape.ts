import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';

/**
 * What is wrong with data by its schema, as an independent validator sees it. What a document does not say is null or an empty list, whether or not the
 * schema allows it: such members are looked at as if they were absent, none is required, and no list has to have items.
 */
export function faultsOfShape(schema: JsonObject, data: JsonObject): { path: string; message: string }[] {
  const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
    withoutRequired(schema),
  );
  if (validate(withoutNulls(data))) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => ({ path: instancePath, message }));
}

function withoutRequired(schema: JsonValue): JsonObject {
  return JSON.parse(
    JSON.stringify(schema, (key, value: JsonValue) =>
      (key === 'required' && Array.isArray(value)) || (key === 'minItems' && typeof value === 'number')
        ? undefined
        : value,
    ),
  ) as JsonObject;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}
