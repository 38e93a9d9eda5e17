import { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from '../../../../src/domain/json.js';
import { definitionsOf, isScalarType, readReference, typeOfValue, typesOf, type ScalarType } from './schema-node.js';

/** What one kind of value has to be. */
export interface ScalarRule {
  type: ScalarType;
  /** The only values that there are, in the order of the schema; null where all are good. */
  values: JsonPrimitive[] | null;
  format: string | null;
  pattern: string | null;
  /** `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength` and `maxLength`, where given. */
  bounds: Readonly<Record<string, number>>;
}

interface Described {
  /** Empty for the root and for items without one. */
  description: string;
  nullable: boolean;
}

export interface NormalScalar extends Described {
  kind: 'scalar';
  /** Several where the schema allows values of several types. */
  rules: ScalarRule[];
}

export interface NormalList extends Described {
  kind: 'list';
  items: NormalNode;
  minItems: number | null;
  maxItems: number | null;
}

export interface NormalProperty {
  name: string;
  required: boolean;
  node: NormalNode;
}

export interface NormalObject extends Described {
  kind: 'object';
  properties: NormalProperty[];
}

/** A schema with its references written out, and one spelling for everything that can be spelled in several ways. */
export type NormalNode = NormalScalar | NormalList | NormalObject;

const BOUNDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength'],
];

/** The normal form of a schema without faults. @throws TypeError for one that has some */
export function normalizeSchema(schema: JsonObject): NormalObject {
  const node = new Normalizer(schema).of(schema);
  if (node.kind !== 'object') throw new TypeError('the root of a schema is an object');
  return node;
}

class Normalizer {
  private readonly definitions: ReturnType<typeof definitionsOf>;

  constructor(schema: JsonObject) {
    this.definitions = definitionsOf(schema);
  }

  of(given: JsonValue | undefined): NormalNode {
    const node = this.writtenOut(given);
    if (Array.isArray(node['anyOf'])) return this.ofAlternatives(node, node['anyOf']);
    const types = typesOf(node);
    const described = { description: descriptionOf(node), nullable: types.includes('null') };
    if (types.includes('object')) return { kind: 'object', ...described, properties: this.propertiesOf(node) };
    if (types.includes('array')) {
      const [minItems, maxItems] = [numberOf(node['minItems']), numberOf(node['maxItems'])];
      return { kind: 'list', ...described, items: this.of(node['items']), minItems, maxItems };
    }
    return scalarOf(node, described);
  }

  private writtenOut(given: JsonValue | undefined): JsonObject {
    if (!isJsonObject(given)) throw new TypeError('a schema is an object');
    const name = readReference(given['$ref']);
    if (name === null) return given;
    const target = this.writtenOut(this.definitions.get(name)?.node);
    return { ...target, description: saidOfBoth(descriptionOf(given), descriptionOf(target)) };
  }

  private propertiesOf({ properties, required }: JsonObject): NormalProperty[] {
    const names: readonly JsonValue[] = Array.isArray(required) ? required : [];
    return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, one]) => ({
      name,
      required: names.includes(name),
      node: this.of(one),
    }));
  }

  private ofAlternatives(node: JsonObject, anyOf: readonly JsonValue[]): NormalNode {
    const real = anyOf.filter((one) => !(isJsonObject(one) && one['type'] === 'null')).map((one) => this.of(one));
    const [only] = real;
    if (only === undefined) throw new TypeError('anyOf leaves nothing but null');
    const said = [descriptionOf(node), ...real.map(({ description }) => description)].filter((one) => one !== '');
    const description = [...new Set(said)].join(' ');
    const nullable = real.length < anyOf.length || real.some((one) => one.nullable);
    if (real.length === 1) return { ...only, description, nullable };
    const rules = real.flatMap((one) => (one.kind === 'scalar' ? one.rules : []));
    return { kind: 'scalar', description, nullable, rules };
  }
}

function scalarOf(node: JsonObject, described: Described): NormalScalar {
  const given = node['const'] === undefined ? node['enum'] : [node['const']];
  const values = Array.isArray(given) ? (given as JsonPrimitive[]) : null;
  const named = typesOf(node).filter(isScalarType);
  const types = named.length > 0 || values === null ? named : scalarTypesOf(values);
  const rule = { format: textOf(node['format']), pattern: textOf(node['pattern']), bounds: boundsOf(node) };
  return {
    kind: 'scalar',
    description: described.description,
    nullable: described.nullable || (named.length === 0 && values?.includes(null) === true),
    rules: types.map((type) => ({ type, values: values === null ? null : valuesOf(values, type, named), ...rule })),
  };
}

/** Null is no value but the lack of one. Of an enum that names no type, each type has its own values. */
function valuesOf(values: readonly JsonPrimitive[], type: ScalarType, named: readonly ScalarType[]): JsonPrimitive[] {
  return values.filter((value) => value !== null && (named.length > 0 || typeOfValue(value) === type));
}

function scalarTypesOf(values: readonly JsonPrimitive[]): ScalarType[] {
  return [...new Set(values.map(typeOfValue))].filter(isScalarType);
}

function boundsOf(node: JsonObject): Record<string, number> {
  return Object.fromEntries(
    BOUNDS.flatMap((word) => (typeof node[word] === 'number' ? [[word, node[word]] as const] : [])),
  );
}

function descriptionOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description.trim() : '';
}

/** Both hold: what a place says of its value, and what the definition says of all such values. */
function saidOfBoth(own: string, general: string): string {
  if (own === '' || general === '' || own.includes(general)) return own === '' ? general : own;
  return /[.!?]$/u.test(own) ? `${own} ${general}` : `${own}. ${general}`;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
