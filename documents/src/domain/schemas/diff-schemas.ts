import type { JsonObject } from '../../../../src/domain/json.js';
import { compileSchema, type SchemaLeaf, type SchemaList } from './compile-schema.js';

/** What has changed between two schemas. */
export interface SchemaChange {
  /** A JSON pointer into the data, `*` for items. */
  path: string;
  change: 'added' | 'removed' | 'changed';
  /** What it was; null for what was added. */
  before: string | null;
  after: string | null;
}

/** Values and lists that one schema has and the other lacks, or that they say something else about, in the order of the second one. */
export function diffSchemas(before: JsonObject, after: JsonObject): SchemaChange[] {
  const [was, is] = [describedParts(before), describedParts(after)];
  const removed = [...was].flatMap(([path, text]) =>
    is.has(path) ? [] : [{ path, change: 'removed', before: text, after: null } as const],
  );
  const others = [...is].flatMap(([path, text]): SchemaChange[] => {
    const old = was.get(path) ?? null;
    if (old === text) return [];
    return [{ path, change: old === null ? 'added' : 'changed', before: old, after: text }];
  });
  return [...others, ...removed];
}

function describedParts(schema: JsonObject): Map<string, string> {
  const { leaves, lists } = compileSchema(schema);
  return new Map([...lists.map((list) => [list.path, textOfList(list)] as const), ...leaves.map(partOfLeaf)]);
}

function textOfList({ description, nullable, minItems, maxItems }: SchemaList): string {
  const bounds = `${minItems === null ? '' : ` of at least ${minItems}`}${maxItems === null ? '' : ` of at most ${maxItems}`}`;
  return `list${bounds}${nullable ? ' or null' : ''}: ${description}`;
}

function partOfLeaf({ path, rules, nullable, required, description }: SchemaLeaf): readonly [string, string] {
  const types = rules.map(({ type, values, format, pattern, bounds }) => {
    const words = { ...(values === null ? {} : { enum: values }), ...(format === null ? {} : { format }) };
    const all = { ...words, ...(pattern === null ? {} : { pattern }), ...bounds };
    return Object.keys(all).length === 0 ? type : `${type} ${JSON.stringify(all)}`;
  });
  return [path, `${types.join(' or ')}${nullable ? ' or null' : ''}${required ? ', required' : ''}: ${description}`];
}
