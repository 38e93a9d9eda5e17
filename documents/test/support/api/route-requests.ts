import { randomUUID } from 'node:crypto';
import type { DeclaredRoute } from '../../../src/api/http/declared-routes.js';

/** Ids of one organization, by the first member of an address. */
export type PlantedIds = { [noun: string]: string };

export interface RouteRequest {
  /** `POST /api/projects/:id/uploads` */
  name: string;
  method: string;
  path: string;
  body?: unknown;
}

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  minItems?: number;
  minLength?: number;
  required?: string[];
  properties?: { [name: string]: Schema };
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  nullable?: boolean;
}

/** The description of the interface, as far as requests go. */
export interface Description {
  paths: {
    [path: string]: { [method: string]: { requestBody?: { content: { [type: string]: { schema?: Schema } } } } };
  };
  components: { schemas: { [name: string]: Schema } };
}

/** A request of a route that is good but for whoever sends it. Parameters other than ids of rows are the number 1. */
export function requestOf({ method, path }: DeclaredRoute, ids: PlantedIds, description: Description): RouteRequest {
  const noun = /^\/api\/(?:v2\/)?([\w-]+)\/:/.exec(path)?.[1] ?? '';
  const concrete = path.replace(/:(\w+)/g, (_whole, name: string) =>
    name === 'id' ? (ids[noun] ?? randomUUID()) : '1',
  );
  const operation = description.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const schema = operation?.requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? undefined : exampleOf(schema, description);
  return { name: `${method} ${path}`, method, path: concrete, ...(body === undefined ? {} : { body }) };
}

/** The smallest value that a schema takes. */
function exampleOf(schema: Schema, description: Description): unknown {
  if (schema.$ref !== undefined) {
    return exampleOf(description.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, description);
  }
  const [first] = [...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  if (first !== undefined) return exampleOf(first, description);
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'object' || schema.properties !== undefined) {
    const required = (schema.required ?? []).map((name) => [name, schema.properties?.[name] ?? {}] as const);
    return Object.fromEntries(required.map(([name, member]) => [name, exampleOf(member, description)]));
  }
  if (schema.type === 'array') return (schema.minItems ?? 0) > 0 ? [exampleOf(schema.items ?? {}, description)] : [];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return false;
  if (schema.format === 'uuid') return randomUUID();
  if (schema.format === 'uri') return 'https://receiver.example/hook';
  if (schema.format === 'date-time') return new Date(Date.now() + 60_000).toISOString();
  return 'example'.padEnd(schema.minLength ?? 0, 'x');
}
