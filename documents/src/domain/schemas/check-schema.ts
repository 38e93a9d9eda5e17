import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { checkKeywords } from './check-keywords.js';
import { isWithinBytes, measureSchema, measureTexts, type SchemaSize } from './measure-schema.js';
import { pointerTo } from '../json-pointer.js';
import { SchemaFaults, type SchemaFault } from './schema-fault.js';
import { SCHEMA_LIMITS } from './schema-limits.js';
import { definitionsOf, isScalarType, readReference, typesOf } from './schema-node.js';

export interface SchemaCheck extends SchemaSize {
  /** Everything that is wrong, in the order of the schema; none for one that extraction takes. */
  faults: SchemaFault[];
}

/** Deeper nodes are not walked: their depth is the fault, and paths stay short. */
const MAX_WALK = 32;
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
  // What is larger than a schema may be is not looked at any further: to say all that is wrong with it would take long.
  if (!isWithinBytes(schema)) {
    measureTexts(schema, faults);
    return { faults: faults.all, fieldCount: 0, depth: 0 };
  }
  new Walk(schema, faults).root();
  const size = measureSchema(schema, faults);
  measureTexts(schema, faults);
  return { faults: faults.all, ...size };
}

class Walk {
  private readonly definitions: ReturnType<typeof definitionsOf>;
  /** References by what is alike in spellings of them. */
  private readonly byLikeness: ReadonlyMap<string, string>;

  constructor(
    private readonly schema: JsonObject,
    private readonly faults: SchemaFaults,
  ) {
    this.definitions = definitionsOf(schema);
    this.byLikeness = byLikeness([...this.definitions.keys()].map((name) => [likenessOf(name), name]));
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
      if (this.isTooLong(name, path)) continue;
      if (isJsonObject(node)) this.node(node, path, 1, false);
      else faults.invalid(path, 'is not a schema', null);
    }
  }

  private node(node: JsonObject, path: string, level: number, isRoot: boolean): void {
    if (level > MAX_WALK) {
      this.faults.invalid(path, 'stands inside of too many others', 'flatten them');
      return;
    }
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
    const same = this.byLikeness.get(likenessOf(missing));
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

  /** A long name would be repeated by every path, also in the answers. */
  private isTooLong(name: string, path: string): boolean {
    const isSo = name.length > SCHEMA_LIMITS.nameCharacters;
    const message = `has a name of ${name.length} characters; the most are ${SCHEMA_LIMITS.nameCharacters}`;
    if (isSo) this.faults.invalid(path, message, 'say it in the description');
    return isSo;
  }

  private property(name: string, property: JsonValue, path: string, level: number): void {
    if (this.isTooLong(name, path)) return;
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
    const [known, alike] = [new Set(names), byLikeness(names.map((name) => [name.toLowerCase(), name]))];
    required.forEach((name, at) => {
      if (typeof name !== 'string' || known.has(name)) return;
      const near = alike.get(name.toLowerCase());
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
      this.node(one, here, level + 1, false);
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

/** What references that name one definition have in common, however they are spelled. */
function likenessOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1).toLowerCase();
}

/** Names by what they have in common with others; of several that are alike the first. */
function byLikeness(names: readonly [likeness: string, name: string][]): ReadonlyMap<string, string> {
  return new Map(names.toReversed());
}

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
