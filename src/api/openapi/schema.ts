/** The part of a schema that says which members a value may have. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  /** False: no others; a schema: others of this kind; true or absent: any. */
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

/** The interface description, as far as requests go. */
export interface DescribedRequests {
  paths: Record<string, object>;
  components?: { schemas?: Record<string, Schema> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const REFERENCE = '#/components/schemas/';

export function bodySchema(operation: Operation): Schema | undefined {
  return operation.requestBody?.content['application/json']?.schema;
}

/** Every operation of the description, by `METHOD /path/{of}/it`. */
export function operationsOf({ paths }: DescribedRequests): Map<string, Operation> {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as Operation] as const),
  );
  return new Map(operations);
}

/** The schemas that a schema is made of: itself, what it refers to, and all of its parts and alternatives. */
export function partsOf(schema: Schema, description: Pick<DescribedRequests, 'components'>): Schema[] {
  const referred = description.components?.schemas?.[schema.$ref?.slice(REFERENCE.length) ?? ''];
  const inner = [
    ...(referred ? [referred] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  return [schema, ...inner.flatMap((part) => partsOf(part, description))];
}

/**
 * Closes every object of every request body: where the description names members and says nothing of others, there are none. Objects
 * that are the caller's own (`additionalProperties` is true or a schema) stay open.
 */
export function closeRequestBodies(description: DescribedRequests): void {
  const seen = new Set<Schema>();
  const close = (schema: Schema): void => {
    for (const part of partsOf(schema, description)) {
      if (seen.has(part)) continue;
      seen.add(part);
      if (part.properties !== undefined) part.additionalProperties ??= false;
      const inner = [...Object.values(part.properties ?? {}), part.items, part.additionalProperties];
      for (const one of inner) if (typeof one === 'object') close(one);
    }
  };
  for (const operation of operationsOf(description).values()) {
    const schema = bodySchema(operation);
    if (schema !== undefined) close(schema);
  }
}
