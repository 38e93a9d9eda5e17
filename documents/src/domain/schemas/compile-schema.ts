import type { JsonObject, JsonPrimitive } from '../../../../src/domain/json.js';
import { normalizeSchema, type NormalNode, type NormalObject, type ScalarRule } from './normal-schema.js';
import { pointerTo } from '../json-pointer.js';
import type { ScalarType } from './schema-node.js';

/** One value that is looked for in a document. */
export interface SchemaLeaf {
  /** A JSON pointer into the data, with `*` in place of the number of an item. */
  path: string;
  /** Names of properties from the root on, items left out. */
  names: string[];
  /** Its type; the first one where several are allowed. */
  type: ScalarType;
  rules: ScalarRule[];
  description: string;
  nullable: boolean;
  required: boolean;
  /** All values of all its types; null where they are not enumerated. */
  enum: JsonPrimitive[] | null;
  /** The path of the innermost list that it stands in; null outside of lists. */
  list: string | null;
}

/** A list that rows, or single values, are looked for. */
export interface SchemaList {
  path: string;
  names: string[];
  description: string;
  nullable: boolean;
  /** Whether items are objects, other lists, or single values. */
  items: 'object' | 'list' | 'scalar';
  minItems: number | null;
  maxItems: number | null;
  /** The list around it. */
  list: string | null;
}

/** A schema as extraction works with it. */
export interface CompiledSchema {
  root: NormalObject;
  /** In the order of the schema. */
  leaves: SchemaLeaf[];
  lists: SchemaList[];
}

interface Place {
  path: string;
  names: string[];
  list: string | null;
  required: boolean;
  /** Said of a list whose items say nothing themselves. */
  inherited: string;
}

/** Compiles a schema without faults into what is looked for, and where in the answer it goes. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  const root = normalizeSchema(schema);
  const compiled: CompiledSchema = { root, leaves: [], lists: [] };
  add(root, { path: '', names: [], list: null, required: true, inherited: '' }, compiled);
  return compiled;
}

function add(node: NormalNode, place: Place, into: CompiledSchema): void {
  const { path, names, list, required } = place;
  const description = node.description === '' ? place.inherited : node.description;
  if (node.kind === 'object') {
    for (const { name, required: isRequired, node: inner } of node.properties) {
      const at = { path: pointerTo(path, name), names: [...names, name], list, required: isRequired, inherited: '' };
      add(inner, at, into);
    }
    return;
  }
  if (node.kind === 'list') {
    const { nullable, items, minItems, maxItems } = node;
    into.lists.push({ path, names, description, nullable, items: items.kind, minItems, maxItems, list });
    add(items, { ...place, path: `${path}/*`, list: path, inherited: description }, into);
    return;
  }
  const [first] = node.rules;
  if (first === undefined) throw new TypeError(`${path} says no type`);
  into.leaves.push({
    ...{ path, names, type: first.type, rules: node.rules, description },
    ...{ nullable: node.nullable, required, list },
    enum: node.rules.every(({ values }) => values !== null) ? node.rules.flatMap(({ values }) => values ?? []) : null,
  });
}
