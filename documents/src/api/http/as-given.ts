import { Transform } from 'class-transformer';
import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';

const GIVEN = new Map<object, string[]>();

/**
 * A member that holds JSON of the client's own making, and keeps it as it came. The shaping of bodies into their classes would silently leave out
 * members whose names mean something to it, such as `constructor`.
 */
export const AsGiven =
  (): PropertyDecorator =>
  (prototype, name): void => {
    GIVEN.set(prototype, [...(GIVEN.get(prototype) ?? []), String(name)]);
  };

/** Parts a body that is shaped into a class from the objects in it that are {@link AsGiven}; an empty one holds the place of each. */
export function partGiven(
  body: JsonObject,
  { prototype }: { prototype: object },
): { rest: JsonObject; given: JsonObject } {
  const names = new Set<string>();
  for (let at: object | null = prototype; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    for (const name of GIVEN.get(at) ?? []) names.add(name);
  }
  const given = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => names.has(name) && isJsonObject(value)),
  );
  return { rest: { ...body, ...Object.fromEntries(Object.keys(given).map((name) => [name, {}])) }, given };
}

/** Ids, one or several, in the spelling in which rows are kept: upper case means the same. */
export const SpelledAsKept = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(lowerCase) : lowerCase(value)));

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
