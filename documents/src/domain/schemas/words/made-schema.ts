import type { JsonObject } from '../../../../../src/domain/json.js';
import type { ValueKind } from './concepts.js';

/** Why a key is what it is. */
export interface FieldReason {
  /** A JSON pointer into the schema. */
  path: string;
  reason: string;
  /** How documents may print its name, the likeliest first. */
  labels: string[];
}

export interface SchemaWarning {
  /** A JSON pointer into the schema; empty for the whole. */
  path: string;
  code: 'unknown_noun' | 'renamed' | 'nothing_named';
  message: string;
}

/** A schema that was made from something else, with what is to be known about it. */
export interface MadeSchema {
  jsonSchema: JsonObject;
  rationale: FieldReason[];
  warnings: SchemaWarning[];
}

const TYPES: Readonly<Record<ValueKind, { type: string; format?: string }>> = {
  text: { type: 'string' },
  identifier: { type: 'string' },
  money: { type: 'number' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  percent: { type: 'number' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
  time: { type: 'string', format: 'time' },
  email: { type: 'string', format: 'email' },
  phone: { type: 'string' },
  uri: { type: 'string', format: 'uri' },
  boolean: { type: 'boolean' },
};

/** The words for one value. What a document lacks is null; an item of a list that is lacking is not there. */
export function valueSchema(
  { kind, values }: { kind: ValueKind; values: readonly string[] | null },
  isNullable: boolean,
): JsonObject {
  const { type, format } = TYPES[kind];
  return {
    type: isNullable ? [type, 'null'] : type,
    ...(format === undefined ? {} : { format }),
    ...(values === null ? {} : { enum: isNullable ? [...values, null] : [...values] }),
  };
}

/** A key that is not taken: the same with a number where it is. */
export function freeKey(key: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(key)) return key;
  for (let number = 2; ; number++) {
    if (!taken.has(`${key}${number}`)) return `${key}${number}`;
  }
}
