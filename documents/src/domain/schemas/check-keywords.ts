import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { faultOfPattern } from './linear-pattern.js';
import { pointerTo } from '../json-pointer.js';
import type { SchemaFaults } from './schema-fault.js';
import { SCHEMA_LIMITS } from './schema-limits.js';
import { isOfType, isScalarType, isSchemaType, TYPES, typesOf, type SchemaType } from './schema-node.js';

type Check = (value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults) => void;

const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** Words of a node with what each has to be. Those that only describe are taken and have no effect. */
const WORDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['type', checkType],
  ['properties', pass],
  ['required', checkRequired],
  ['items', pass],
  ['enum', checkEnum],
  ['const', checkConst],
  ['format', checkFormat],
  ['pattern', checkPattern],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((word) => [word, boundOf('number')] as const),
  ['multipleOf', checkMultiple],
  ...['minLength', 'maxLength'].map((word) => [word, boundOf('string')] as const),
  ...['minItems', 'maxItems'].map((word) => [word, boundOf('array')] as const),
  ['anyOf', pass],
  ['$ref', pass],
  ['description', text],
  ['title', text],
  ['$comment', text],
  ['examples', pass],
  ['default', checkDefault],
  ['additionalProperties', checkAdditional],
]);

const OF_ROOT: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['$schema', checkDialect],
  ['$id', text],
  ['$defs', definitions],
  ['definitions', definitions],
]);

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['oneOf', 'anyOf'],
  ['allOf', 'write all members into one schema'],
  ['nullable', '"type": ["string", "null"]'],
  ['prefixItems', 'an object with a property for each place'],
  ['patternProperties', 'a list of objects with a name and a value'],
  ['uniqueItems', 'leave it out'],
]);

/** The words of one node, each by itself and the bounds against each other. */
export function checkKeywords(node: JsonObject, path: string, isRoot: boolean, faults: SchemaFaults): void {
  for (const [word, value] of Object.entries(node)) {
    const at = pointerTo(path, word);
    const check = WORDS.get(word) ?? (isRoot ? OF_ROOT.get(word) : undefined);
    if (check !== undefined) check(value, at, node, faults);
    else
      faults.invalid(at, `${JSON.stringify(word)} is no word of these schemas`, INSTEAD.get(word) ?? nearestWord(word));
  }
  for (const [low, high] of RANGES) {
    const [least, most] = [node[low], node[high]];
    if (typeof least === 'number' && typeof most === 'number' && least > most) {
      faults.invalid(pointerTo(path, low), `is above ${high}, so no value fits`, null);
    }
  }
}

const RANGES = [
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;

function pass(): void {
  // What it holds is walked by the check of the schema.
}

function text(value: JsonValue, path: string, _node: JsonObject, faults: SchemaFaults): void {
  if (typeof value !== 'string') faults.invalid(path, 'is not a text', null);
}

function definitions(value: JsonValue, path: string, _node: JsonObject, faults: SchemaFaults): void {
  if (!isJsonObject(value)) faults.invalid(path, 'is not an object of names and schemas', null);
}

function checkDialect(value: JsonValue, path: string, _node: JsonObject, faults: SchemaFaults): void {
  if (typeof value === 'string' && DIALECT.test(value)) return;
  faults.invalid(path, 'is not JSON Schema 2020-12', '"$schema": "https://json-schema.org/draft/2020-12/schema"');
}

function checkType(value: JsonValue, path: string, _node: JsonObject, faults: SchemaFaults): void {
  const given = Array.isArray(value) ? value : [value];
  const unknown = given.filter((type) => !isSchemaType(type));
  for (const type of unknown) {
    const near = typeof type === 'string' ? SPELLINGS.get(type.toLowerCase()) : undefined;
    faults.invalid(
      path,
      `${JSON.stringify(type)} is no type`,
      near ?? 'string, number, integer, boolean, object, array',
    );
  }
  if (unknown.length > 0) return;
  const real = new Set(given.filter((type) => type !== 'null'));
  if (real.size === 0) faults.invalid(path, 'leaves nothing but null', '"type": ["string", "null"]');
  if (real.size > 1) {
    const alternatives = [...real].map((type) => `{"type": ${JSON.stringify(type)}}`).join(', ');
    faults.invalid(path, 'a union is of one type and null', `"anyOf": [${alternatives}]`);
  }
  if (new Set(given).size < given.length) faults.invalid(path, 'names a type twice', null);
}

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ text: 'string', str: 'string', date: '"type": "string", "format": "date"', int: 'integer', float: 'number' },
    ...{ double: 'number', decimal: 'number', money: 'number', bool: 'boolean', list: 'array', dict: 'object' },
  }),
);

function checkRequired(value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults): void {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string')) {
    faults.invalid(path, 'is not a list of names', '["…"]');
    return;
  }
  if (new Set(value).size < value.length) faults.invalid(path, 'names a property twice', null);
  if (node['properties'] === undefined) faults.invalid(path, 'stands where there are no properties', null);
}

function checkEnum(value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults): void {
  if (!Array.isArray(value) || value.length === 0) {
    faults.invalid(path, 'is not a list of values', '["…"]');
    return;
  }
  if (value.length > SCHEMA_LIMITS.enumValues) {
    faults.invalid(path, `has ${value.length} values; the most are ${SCHEMA_LIMITS.enumValues}`, null);
  }
  if (new Set(value.map((one) => JSON.stringify(one))).size < value.length) faults.invalid(path, 'has a value twice');
  if (value.every((one) => one === null)) faults.invalid(path, 'leaves nothing but null', null);
  // Both may be long lists of somebody who means no good.
  const types = typesOf(node).slice(0, TYPES.length);
  value.slice(0, SCHEMA_LIMITS.enumValues).forEach((one, at) => fits(one, pointerTo(path, at), types, faults));
}

function checkConst(value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults): void {
  if (value === null) faults.invalid(path, 'leaves nothing but null', null);
  else fits(value, path, typesOf(node), faults);
}

/** @param types that the node names; none where it names none */
function fits(value: JsonValue, path: string, types: readonly SchemaType[], faults: SchemaFaults): void {
  if (typeof value === 'object' && value !== null) {
    faults.invalid(path, 'is not a single value', null);
    return;
  }
  if (types.length === 0 || isOfType(value, types)) return;
  const isNull = value === null && types.length === 1;
  faults.invalid(path, 'is not of the type', isNull ? `"type": ["${types.join()}", "null"]` : null);
}

function checkFormat(value: JsonValue, path: string, _node: JsonObject, faults: SchemaFaults): void {
  if (typeof value === 'string' && /^[a-z][a-z0-9-]{0,39}$/.test(value)) return;
  faults.invalid(path, 'is no name of a format', 'as in date, date-time, email or uri');
}

function checkPattern(value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults): void {
  const fault = typeof value === 'string' ? faultOfPattern(value) : 'is not a text';
  if (fault !== null) faults.invalid(path, fault, null);
  misplaced('string', path, node, faults);
}

function checkMultiple(value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults): void {
  if (typeof value !== 'number' || !(value > 0)) faults.invalid(path, 'is not a number above 0', null);
  misplaced('number', path, node, faults);
}

function boundOf(type: 'number' | 'string' | 'array'): Check {
  return (value, path, node, faults) => {
    const isGood = type === 'number' ? typeof value === 'number' : Number.isSafeInteger(value) && Number(value) >= 0;
    if (!isGood) faults.invalid(path, type === 'number' ? 'is not a number' : 'is not a whole number from 0 on', null);
    misplaced(type, path, node, faults);
  };
}

/** A bound that can have no effect is a mistake of whoever wrote it. */
function misplaced(type: SchemaType, path: string, node: JsonObject, faults: SchemaFaults): void {
  const types = typesOf(node);
  if (types.length === 0 || types.includes(type) || (type === 'number' && types.includes('integer'))) return;
  faults.invalid(path, `has no effect on ${types.join(' or ')}`, 'leave it out');
}

/** Nothing is ever filled in for a value that a document lacks. */
function checkDefault(value: JsonValue, path: string, _node: JsonObject, faults: SchemaFaults): void {
  if (value !== null) faults.invalid(path, 'values that a document lacks are null, never a default', 'leave it out');
}

function checkAdditional(value: JsonValue, path: string, node: JsonObject, faults: SchemaFaults): void {
  if (value !== false) faults.invalid(path, 'an answer has no other members than its properties', 'false');
  const types = typesOf(node);
  if (types.some(isScalarType)) faults.invalid(path, `has no effect on ${types.join(' or ')}`, 'leave it out');
}

/** The word that somebody meant, where only the case or one letter differs. */
function nearestWord(word: string): string | null {
  const lower = word.toLowerCase();
  const near = [...WORDS.keys()].find(
    (one) => one.toLowerCase() === lower || `${one.toLowerCase()}s` === lower || one.toLowerCase() === `${lower}s`,
  );
  return near === undefined ? 'leave it out' : `"${near}"`;
}
