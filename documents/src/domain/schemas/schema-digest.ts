import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';

/** Members whose own members have names of the author's choice, in an order that answers keep. */
const NAMED_MEMBERS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/**
 * SHA-256 of what a schema says: blanks and the order of its words do not matter, the order of properties does, for it is that of the
 * columns of a table.
 */
export function digestSchema(schema: JsonObject): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(canonical(schema, false)))
    .digest();
}

/** Pairs in place of members, so that names like `2024` keep their place too. */
function canonical(value: JsonValue, isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => canonical(one, false));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value);
  if (!isNamed) members.sort(([one], [other]) => (one < other ? -1 : 1));
  return { members: members.map(([name, one]) => [name, canonical(one, !isNamed && NAMED_MEMBERS.has(name))]) };
}
