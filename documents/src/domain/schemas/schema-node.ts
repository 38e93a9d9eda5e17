import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { nameInPointer } from '../json-pointer.js';

const SCALAR_TYPES = ['string', 'number', 'integer', 'boolean'] as const;
export type ScalarType = (typeof SCALAR_TYPES)[number];

export const TYPES = [...SCALAR_TYPES, 'object', 'array', 'null'] as const;
export type SchemaType = (typeof TYPES)[number];

export function isSchemaType(value: unknown): value is SchemaType {
  return (TYPES as readonly unknown[]).includes(value);
}

export function isScalarType(value: unknown): value is ScalarType {
  return (SCALAR_TYPES as readonly unknown[]).includes(value);
}

/** The types that a node names; none where it names none, or something else. */
export function typesOf({ type }: JsonObject): SchemaType[] {
  return (Array.isArray(type) ? type : [type]).filter(isSchemaType);
}

/** The type of a value in the words of a schema; a whole number is an integer. */
export function typeOfValue(value: JsonValue): SchemaType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Whether a value is of one of the types: every integer is a number. */
export function isOfType(value: JsonValue, types: readonly SchemaType[]): boolean {
  const type = typeOfValue(value);
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

const DEFINITIONS = ['$defs', 'definitions'] as const;
const REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** Definitions of a schema by the reference that names them, as in `#/$defs/Line`. */
export function definitionsOf(root: JsonObject): Map<string, { holder: string; name: string; node: JsonValue }> {
  return new Map(
    DEFINITIONS.flatMap((holder) => {
      const held = root[holder];
      if (!isJsonObject(held)) return [];
      return Object.entries(held).map(([name, node]) => [referenceTo(holder, name), { holder, name, node }] as const);
    }),
  );
}

/** A reference as it is compared; null for one that is not local to the definitions of the root. */
export function readReference(given: JsonValue | undefined): string | null {
  if (typeof given !== 'string') return null;
  const match = REFERENCE.exec(given);
  if (match === null) return null;
  try {
    const [, holder = '', name = ''] = match;
    return referenceTo(holder, nameInPointer(decodeURIComponent(name)));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function referenceTo(holder: string, name: string): string {
  return `#/${holder}/${name}`;
}
