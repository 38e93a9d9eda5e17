import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';

/** Paths of leaves with their types in one word: `date` for a text of that format, `enum:a|b` for its values. */
export type LeafTypes = { [path: string]: string };

/** The leaves of a schema as the fixtures write them. */
export function leafTypesOf(schema: JsonValue | undefined, path = ''): LeafTypes {
  if (!isJsonObject(schema)) return {};
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  if (types[0] === 'object' && isJsonObject(schema['properties'])) {
    const inner = Object.entries(schema['properties']).map(([name, one]) =>
      leafTypesOf(one, path === '' ? name : `${path}.${name}`),
    );
    return Object.assign({}, ...inner) as LeafTypes;
  }
  if (types[0] === 'array') return leafTypesOf(schema['items'], `${path}[]`);
  return { [path]: typeOf(schema, JSON.stringify(types[0]).slice(1, -1)) };
}

function typeOf({ enum: values, format }: JsonObject, type: string): string {
  if (Array.isArray(values)) return `enum:${values.filter((value) => typeof value === 'string').join('|')}`;
  return typeof format === 'string' ? format : type;
}

export interface Score {
  properties: number;
  types: number;
  misses: string[];
}

/** F1 of paths, and of paths with their types, over several schemas. */
export function scoreSchemas(pairs: readonly (readonly [expected: LeafTypes, made: LeafTypes])[]): Score {
  const misses: string[] = [];
  let [expectedCount, madeCount, found, typed] = [0, 0, 0, 0];
  for (const [expected, made] of pairs) {
    expectedCount += Object.keys(expected).length;
    madeCount += Object.keys(made).length;
    for (const [path, type] of Object.entries(expected)) {
      const is = made[path];
      if (is !== undefined) found++;
      if (is === type) typed++;
      else misses.push(`${path}: ${type}, not ${is ?? 'there'}`);
    }
    misses.push(...Object.keys(made).flatMap((path) => (path in expected ? [] : [`${path}: not asked for`])));
  }
  const f1 = (hits: number): number => (2 * hits) / (expectedCount + madeCount);
  return { properties: f1(found), types: f1(typed), misses };
}
