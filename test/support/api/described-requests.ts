import { partsOf, type DescribedRequests, type Schema } from '../../../src/api/openapi/schema.js';

/** A schema of the interface description with what limits its values. */
export interface LimitedSchema extends Schema {
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  required?: string[];
  propertyNames?: { pattern?: string };
}

/** A way into a body: names of members, and 0 for the first entry of a list. */
export type Way = readonly (string | number)[];

/** Values that mean something to the service, where the description says only what they look like. */
const REAL: Readonly<Record<string, unknown>> = {
  agent: 'fixer',
  task: '[]',
  kind: 'scratch',
  yaml: 'name: strict',
  name: 'strict',
  slug: 'strict',
  url: 'https://mcp.example.com/mcp',
  slot: 'tickets',
  class: 'sandbox',
  command: 'node',
  provider: 'mcp_http',
  decision: 'denied',
  content: { name: 'default' },
  summary: 'why',
  version: 1,
  base_version: 1,
  pattern: 'read_*',
  action: 'allow',
  tool: 'Read',
};

/** One schema that says all that the parts of another say. */
export function wholeSchema(schema: Schema, description: DescribedRequests): LimitedSchema {
  const parts = partsOf(schema, description) as LimitedSchema[];
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Record<string, Schema>;
  const whole = Object.assign({}, ...parts.toReversed()) as LimitedSchema;
  const types = parts.flatMap((part) => part.type ?? []);
  return {
    ...whole,
    ...(types.length === 0 ? {} : { type: [...new Set(types)] }),
    ...(parts.some((part) => part.properties !== undefined) ? { properties } : {}),
  };
}

/** A value that the description allows, with the required members alone or, when `whole`, with every member. */
export function exampleOf(schema: Schema, description: DescribedRequests, whole: boolean, name = ''): unknown {
  const said = wholeSchema(schema, description);
  if (Object.hasOwn(REAL, name)) return REAL[name];
  if (said.enum !== undefined) return said.enum[0];
  if (said.properties !== undefined) {
    const members = Object.entries(said.properties).filter(([member]) => whole || said.required?.includes(member));
    return Object.fromEntries(members.map(([member, inner]) => [member, exampleOf(inner, description, whole, member)]));
  }
  const types = [said.type ?? []].flat();
  if (types.includes('array')) {
    return said.items === undefined || (!whole && said.minItems === undefined)
      ? []
      : [exampleOf(said.items, description, whole)];
  }
  if (types.includes('string')) {
    if (said.format === 'uuid') return '01900000-0000-7000-8000-000000000000';
    return said.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'strict';
  }
  if (types.includes('integer') || types.includes('number')) return said.minimum ?? 1;
  return types.includes('boolean') ? false : {};
}

/** Every member below a schema, with the way to it; a list is entered by its first entry. */
export function membersBelow(
  schema: Schema,
  description: DescribedRequests,
  way: Way = [],
): { way: Way; schema: LimitedSchema; owner: LimitedSchema }[] {
  const owner = wholeSchema(schema, description);
  if (owner.items !== undefined) return membersBelow(owner.items, description, [...way, 0]);
  return Object.entries(owner.properties ?? {}).flatMap(([name, inner]) => {
    const at = [...way, name];
    const member = wholeSchema(inner, description);
    return [{ way: at, schema: member, owner }, ...membersBelow(inner, description, at)];
  });
}

/** Every closed object below a schema, itself included. */
export function closedObjects(
  schema: Schema,
  description: DescribedRequests,
  way: Way = [],
): { way: Way; members: string[] }[] {
  const whole = wholeSchema(schema, description);
  if (whole.items !== undefined) return closedObjects(whole.items, description, [...way, 0]);
  if (whole.properties === undefined) return [];
  const inner = Object.entries(whole.properties).flatMap(([name, member]) =>
    closedObjects(member, description, [...way, name]),
  );
  return [{ way, members: Object.keys(whole.properties) }, ...inner];
}

/** As a refusal writes it: `servers[0].tools[0].name`. */
export function placeOf(way: Way): string {
  return way.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? step : `${place}.${step}`;
  }, '');
}

/** A copy of a document with one value set; objects and lists on the way are made. */
export function withValue(document: unknown, way: Way, value: unknown): unknown {
  const [step, ...rest] = way;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(document) ? (document as unknown[]) : [];
    return [withValue(list[0], rest, value), ...list.slice(1)];
  }
  const object = (document ?? {}) as Record<string, unknown>;
  return { ...object, [step]: withValue(object[step], rest, value) };
}

/** A copy with one name of an object written otherwise, at the same place among its members. */
export function withRenamed(document: unknown, way: Way, from: string, to: string): unknown {
  const renamed = (value: unknown): unknown => {
    const members = Object.entries(value as Record<string, unknown>).map(([name, member]) => [
      name === from ? to : name,
      member,
    ]);
    return Object.fromEntries(members) as unknown;
  };
  return withValue(document, way, renamed(valueAt(document, way)));
}

export function valueAt(document: unknown, way: Way): unknown {
  return way.reduce((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], document);
}

/** A name with its middle letter doubled, as fingers do. */
export function misspelt(name: string): string {
  const middle = Math.floor(name.length / 2);
  return `${name.slice(0, middle)}${name.charAt(middle)}${name.slice(middle)}`;
}
