import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { checkKeywords } from './check-keywords.js';
import { measureSchema, type SchemaSize } from './measure-schema.js';
import { pointerTo } from '../json-pointer.js';
import { SchemaFaults, type SchemaFault } from './schema-fault.js';
import { definitionsOf, isScalarType, readReference, typesOf } from './schema-node.js';

export interface SchemaCheck extends SchemaSize {
  /** Everything that is wrong, in the order of the schema; none for one that extraction takes. */
  faults: SchemaFault[];
}

/** Deeper nodes are not walked: the depth is a fault already, and definitions inside each other must not exhaust the stack. */
const MAX_WALK = 64;
const NAMELESS_TYPE = 'string, number, integer, boolean, object or array';

/**
 * Says everything that is wrong with a schema at once (DI-011): words outside the subset of JSON Schema 2020-12 that extraction reads, keys
 * without a description, and limits that it passes.
 */
export function checkSchema(schema: JsonValue): SchemaCheck {
  const faults = new SchemaFaults();
  if (!isJsonObject(schema)) {
    faults.invalid('', 'is not a JSON object', 'begin with {"type": "object", "properties": {…}}');
    return { faults: faults.all, fieldCount: 0, depth: 0 };
  }
  const walk = new Walk(schema, faults);
  walk.root();
  const size = measureSchema(schema, faults);
  return { faults: faults.all, ...size };
}

class Walk {
  private readonly definitions: ReturnType<typeof definitionsOf>;

  constructor(
    private readonly schema: JsonObject,
    private readonly faults: SchemaFaults,
  ) {
    this.definitions = definitionsOf(schema);
  }

  root(): void {
    const { schema, faults } = this;
    const types = typesOf(schema);
    if (schema['$ref'] === undefined && (types.length !== 1 || types[0] !== 'object')) {
      faults.invalid('/type', 'the root must be an object', '"type": "object"');
    }
    if (schema['$ref'] !== undefined) faults.invalid('/$ref', 'the root cannot be a reference', 'write it out');
    this.node(schema, '', 0, true);
    for (const { holder, name, node } of this.definitions.values()) {
      const path = pointerTo(pointerTo('', holder), name);
      if (isJsonObject(node)) this.node(node, path, 1, false);
      else faults.invalid(path, 'is not a schema', null);
    }
  }

  private node(node: JsonObject, path: string, level: number, isRoot: boolean): void {
    if (level > MAX_WALK) return;
    checkKeywords(node, path, isRoot, this.faults);
    this.reference(node, path);
    this.shape(node, path, isRoot);
    this.properties(node, path, level);
    this.items(node, path, level);
    this.alternatives(node, path, level);
  }

  private reference(node: JsonObject, path: string): void {
    if (node['$ref'] === undefined) return;
    const at = pointerTo(path, '$ref');
    const name = readReference(node['$ref']);
    if (name === null)
      this.faults.invalid(at, 'is no reference to a definition of this schema', 'as in "#/$defs/Name"');
    else if (!this.definitions.has(name)) this.faults.invalid(at, `there is no definition ${name}`, this.nearby(name));
    for (const sibling of Object.keys(node)) {
      if (!BESIDE_REFERENCE.has(sibling)) {
        this.faults.invalid(pointerTo(path, sibling), 'cannot stand beside $ref', 'put it into the definition');
      }
    }
  }

  private nearby(missing: string): string | null {
    const wanted = missing.split('/').at(-1)?.toLowerCase();
    const [same] = [...this.definitions.keys()].filter((name) => name.split('/').at(-1)?.toLowerCase() === wanted);
    return same === undefined ? null : `"$ref": "${same}"`;
  }

  /** A node says what it is by exactly one of its words. */
  private shape(node: JsonObject, path: string, isRoot: boolean): void {
    const { faults } = this;
    const types = typesOf(node);
    const says = ['$ref', 'anyOf', 'enum', 'const'].some((word) => node[word] !== undefined);
    if (node['type'] === undefined && !says && !isRoot) {
      const guess = isJsonObject(node['properties']) ? 'object' : node['items'] !== undefined ? 'array' : 'string';
      faults.invalid(path, `says no type; it is one of ${NAMELESS_TYPE}`, `"type": "${guess}"`);
    }
    if (node['anyOf'] !== undefined && node['type'] !== undefined) {
      faults.invalid(pointerTo(path, 'type'), 'cannot stand beside anyOf', 'put the type into each alternative');
    }
    const isObject = types.includes('object') || (isRoot && node['type'] === undefined);
    if (isObject && node['properties'] === undefined) {
      faults.invalid(path, 'is an object without properties, so nothing can be read into it', '"properties": {…}');
    }
    if (types.includes('array') && node['items'] === undefined) {
      faults.invalid(path, 'is a list that does not say what its items are', '"items": {…}');
    }
    if (!isObject && node['properties'] !== undefined && node['type'] !== undefined) {
      faults.invalid(pointerTo(path, 'properties'), 'belongs to an object', '"type": "object"');
    }
    if (!types.includes('array') && node['items'] !== undefined && node['type'] !== undefined) {
      faults.invalid(pointerTo(path, 'items'), 'belongs to a list', '"type": "array"');
    }
  }

  private properties(node: JsonObject, path: string, level: number): void {
    const { properties } = node;
    if (properties === undefined) return;
    const at = pointerTo(path, 'properties');
    if (!isJsonObject(properties)) {
      this.faults.invalid(at, 'is not an object of names and schemas', null);
      return;
    }
    const names = Object.keys(properties);
    if (names.length === 0) this.faults.invalid(at, 'is empty, so nothing can be read into it', 'name at least one');
    for (const [name, property] of Object.entries(properties))
      this.property(name, property, pointerTo(at, name), level);
    this.required(node, path, names);
  }

  private property(name: string, property: JsonValue, path: string, level: number): void {
    if (name.trim() === '' || name === '__proto__')
      this.faults.invalid(path, 'has a name that no answer can hold', null);
    if (!isJsonObject(property)) {
      this.faults.invalid(path, 'is not a schema', '{"type": "string", "description": "…"}');
      return;
    }
    if (this.needsDescription(property) && isBlank(this.descriptionOf(property))) this.faults.undescribed(path);
    this.node(property, path, level + 1, false);
  }

  private needsDescription(property: JsonObject): boolean {
    if (DESCRIBED_BY.some((word) => property[word] !== undefined)) return true;
    const target = this.targetOf(property);
    return target !== null && DESCRIBED_BY.some((word) => target[word] !== undefined);
  }

  private descriptionOf(property: JsonObject): JsonValue | undefined {
    return property['description'] ?? this.targetOf(property)?.['description'];
  }

  private targetOf({ $ref }: JsonObject): JsonObject | null {
    const name = readReference($ref);
    const target = name === null ? undefined : this.definitions.get(name)?.node;
    return isJsonObject(target) ? target : null;
  }

  private required(node: JsonObject, path: string, names: readonly string[]): void {
    const { required } = node;
    if (!Array.isArray(required)) return;
    required.forEach((name, at) => {
      if (typeof name !== 'string' || names.includes(name)) return;
      const near = names.find((one) => one.toLowerCase() === name.toLowerCase());
      const message = `names ${JSON.stringify(name)}, which is no property here`;
      this.faults.invalid(pointerTo(pointerTo(path, 'required'), at), message, near === undefined ? null : `"${near}"`);
    });
  }

  private items(node: JsonObject, path: string, level: number): void {
    const { items } = node;
    if (items === undefined) return;
    const at = pointerTo(path, 'items');
    if (isJsonObject(items)) this.node(items, at, level + 1, false);
    else this.faults.invalid(at, 'is not one schema for all items', '{"type": "string"}');
  }

  /** Null or scalars; or one object or list beside null, which makes it nullable. */
  private alternatives(node: JsonObject, path: string, level: number): void {
    const { anyOf } = node;
    if (anyOf === undefined) return;
    const at = pointerTo(path, 'anyOf');
    if (!Array.isArray(anyOf) || anyOf.length === 0) {
      this.faults.invalid(at, 'is not a list of alternatives', null);
      return;
    }
    const isNullable = (one: JsonValue): boolean => isJsonObject(one) && one['type'] === 'null';
    const real = anyOf.filter((one) => !isNullable(one));
    if (real.length === 0) this.faults.invalid(at, 'leaves nothing but null', null);
    anyOf.forEach((one, index) => {
      const here = pointerTo(at, index);
      if (!isJsonObject(one)) {
        this.faults.invalid(here, 'is not a schema', null);
        return;
      }
      if (isNullable(one)) {
        this.nullAlone(one, here);
        return;
      }
      if (real.length > 1 && !this.isScalar(one)) {
        const message = 'is an alternative that is neither null nor a single value';
        this.faults.invalid(here, message, 'an object or a list may stand beside null alone');
      }
      this.node(one, here, level, false);
    });
  }

  private nullAlone(node: JsonObject, path: string): void {
    for (const word of Object.keys(node)) {
      if (!BESIDE_NULL.has(word)) this.faults.invalid(pointerTo(path, word), 'has no effect on null', 'leave it out');
    }
  }

  private isScalar(node: JsonObject): boolean {
    const target = this.targetOf(node) ?? node;
    const types = typesOf(target);
    if (types.length > 0) return types.every((type) => type === 'null' || isScalarType(type));
    return target['enum'] !== undefined || target['const'] !== undefined;
  }
}

const DESCRIBED_BY = ['type', 'enum', 'anyOf'] as const;
const BESIDE_NULL: ReadonlySet<string> = new Set(['type', 'description', 'title', '$comment']);
const BESIDE_REFERENCE: ReadonlySet<string> = new Set(['$ref', 'description', 'title', '$comment', 'examples']);

function isBlank(description: JsonValue | undefined): boolean {
  return typeof description !== 'string' || description.trim() === '';
}

/** The sentence for somebody who gave a schema with faults: about the first, and how many there are. */
export function describeFaults(faults: readonly SchemaFault[]): string {
  const [first] = faults;
  if (first === undefined) return 'the schema is good';
  const where = first.path === '' ? 'the schema' : first.path;
  const others = faults.length === 1 ? '' : ` (and ${faults.length - 1} more; details has all)`;
  return `${where}: ${first.message}${others}`;
}
