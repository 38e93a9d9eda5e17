import type { JsonObject } from '../json.js';

/** One member of an event's data: its JSON Schema, and in `type` the TypeScript type that it stands for. */
export interface Field<T> {
  readonly schema: JsonObject;
  readonly type?: T;
}

/** A member that is left out when it is unset. */
export interface OptionalField<T> extends Field<T> {
  readonly optional: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type TypeOf<F> = F extends Field<infer T> ? T : never;
type OptionalKeys<F> = { [K in keyof F]: F[K] extends { optional: true } ? K : never }[keyof F];

/** The type of the data that a set of fields describes. */
export type DataOf<F> = { [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  [K in OptionalKeys<F>]?: TypeOf<F[K]>;
};

export const text: Field<string> = { schema: { type: 'string' } };
export const time: Field<string> = { schema: { type: 'string', format: 'date-time' } };
export const integer: Field<number> = { schema: { type: 'integer' } };
export const count: Field<number> = { schema: { type: 'integer', minimum: 0 } };
export const amount: Field<number> = { schema: { type: 'number' } };
export const flag: Field<boolean> = { schema: { type: 'boolean' } };
export const texts: Field<string[]> = { schema: { type: 'array', items: { type: 'string' } } };

export function oneOf<const T extends string>(...values: T[]): Field<T> {
  return { schema: { type: 'string', enum: values } };
}

/** A text whose values are listed but not closed: readers meet later ones. */
export function openText(...values: string[]): Field<string> {
  return { schema: { type: 'string', examples: values } };
}

export function nullable<T>({ schema }: Field<T>): Field<T | null> {
  const { enum: values, ...rest } = schema;
  return {
    schema: {
      ...rest,
      type: [schema['type'] ?? 'string', 'null'],
      ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    },
  };
}

export function optional<T>({ schema }: Field<T>): OptionalField<T> {
  return { schema, optional: true };
}

export function described<T>(field: Field<T>, description: string): Field<T> {
  return { ...field, schema: { ...field.schema, description } };
}

/** A list of objects with these members. */
export function listOf<F extends Fields>(fields: F): Field<DataOf<F>[]> {
  return { schema: { type: 'array', items: schemaOf(fields) } };
}

/** JSON Schema of the data that a set of fields describes. Later versions may add members. */
export function schemaOf(fields: Fields): JsonObject {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema]));
  const required = Object.entries(fields).flatMap(([name, field]) => ('optional' in field ? [] : [name]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}
