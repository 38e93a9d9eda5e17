import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { pointerTo } from '../json-pointer.js';
import type { SchemaFaults } from './schema-fault.js';
import { SCHEMA_LIMITS } from './schema-limits.js';
import { definitionsOf, readReference } from './schema-node.js';

export interface SchemaSize {
  /** Keys of `properties`, those of definitions counted wherever they are used. */
  fieldCount: number;
  /** Objects and lists inside each other, the root included. */
  depth: number;
}

const NOTHING: SchemaSize = { fieldCount: 0, depth: 0 };
/** Nodes inside each other, those of definitions too. */
const MAX_NESTING = 128;

/** Whether a schema is no longer than one may be. */
export function isWithinBytes(schema: JsonObject): boolean {
  return bytesOf(schema) <= SCHEMA_LIMITS.bytes;
}

/** Says what is wrong with the length of a schema and of its texts. */
export function measureTexts(schema: JsonObject, faults: SchemaFaults): void {
  const { characters, bytes } = SCHEMA_LIMITS;
  const said = charactersOf(schema, 0);
  if (said > characters) faults.tooLarge('', `holds ${said} characters of text; the most are ${characters}`, null);
  const written = bytesOf(schema);
  if (written > bytes) faults.tooLarge('', `is ${written} bytes long; the most are ${bytes}`, null);
}

function bytesOf(schema: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(schema));
}

/** Measures a schema as if definitions were written out, without doing so: a few of them inside each other can stand for millions. */
export function measureSchema(schema: JsonObject, faults: SchemaFaults): SchemaSize {
  const measure = new Measure(schema, faults);
  const size = measure.of(schema, '', 0);
  measure.rest();
  const { properties, depth } = SCHEMA_LIMITS;
  if (size.fieldCount > properties) {
    faults.tooLarge('', `has ${size.fieldCount} properties; the most are ${properties}`, 'split it into two schemas');
  }
  if (size.depth > depth) {
    faults.tooLarge('', `is ${size.depth} objects and lists deep; the most are ${depth}`, 'flatten the inner ones');
  }
  if (measure.isCutOff) faults.tooLarge('', `is more than ${MAX_NESTING} schemas deep, with its definitions`, null);
  return size;
}

class Measure {
  private readonly definitions: ReturnType<typeof definitionsOf>;
  private readonly known = new Map<string, SchemaSize>();
  private readonly open = new Set<string>();
  /** Whether something stands too deep to be measured: then the sizes say nothing. */
  isCutOff = false;

  constructor(
    schema: JsonObject,
    private readonly faults: SchemaFaults,
  ) {
    this.definitions = definitionsOf(schema);
  }

  of(node: JsonValue | undefined, path: string, nesting: number): SchemaSize {
    if (!isJsonObject(node)) return NOTHING;
    if (nesting > MAX_NESTING) {
      this.isCutOff = true;
      return NOTHING;
    }
    if (node['$ref'] !== undefined) return this.ofReference(node, path, nesting);
    const { properties, items, anyOf } = node;
    const named = isJsonObject(properties) ? Object.entries(properties) : [];
    const within = pointerTo(path, 'properties');
    const inner = named.map(([name, one]) => this.of(one, pointerTo(within, name), nesting + 1));
    if (items !== undefined) inner.push(this.of(items, pointerTo(path, 'items'), nesting + 1));
    const holds = named.length > 0 || items !== undefined ? 1 : 0;
    const beside = (Array.isArray(anyOf) ? anyOf : []).map((one, at) =>
      this.of(one, pointerTo(pointerTo(path, 'anyOf'), at), nesting + 1),
    );
    return {
      fieldCount: named.length + sum([...inner, ...beside]),
      depth: Math.max(holds + deepest(inner), deepest(beside)),
    };
  }

  /** Definitions that nothing refers to yet, which may not hold themselves either. */
  rest(): void {
    for (const [name, { holder }] of this.definitions) this.ofReference({ $ref: name }, pointerTo('', holder), 0);
  }

  private ofReference({ $ref }: JsonObject, path: string, nesting: number): SchemaSize {
    const name = readReference($ref);
    const definition = name === null ? undefined : this.definitions.get(name);
    if (name === null || definition === undefined) return NOTHING;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    if (this.open.has(name)) {
      this.faults.invalid(pointerTo(path, '$ref'), `${name} holds itself, so it has no end`, 'write a fixed depth out');
      return NOTHING;
    }
    this.open.add(name);
    const at = pointerTo(pointerTo('', definition.holder), definition.name);
    const size = this.of(definition.node, at, nesting + 1);
    this.open.delete(name);
    this.known.set(name, size);
    return size;
  }
}

function sum(sizes: readonly SchemaSize[]): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    sizes.reduce((total, { fieldCount }) => total + fieldCount, 0),
  );
}

function deepest(sizes: readonly SchemaSize[]): number {
  return sizes.reduce((most, { depth }) => Math.max(most, depth), 0);
}

function charactersOf(value: JsonValue, nesting: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || nesting > MAX_NESTING) return 0;
  if (Array.isArray(value)) return value.reduce<number>((total, one) => total + charactersOf(one, nesting + 1), 0);
  return Object.entries(value).reduce(
    (total, [name, one]) => total + charactersOf(one, nesting + 1) + (isJsonObject(one) ? name.length : 0),
    0,
  );
}
