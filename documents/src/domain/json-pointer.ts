import type { JsonValue } from '../../../src/domain/json.js';

/** A JSON pointer (RFC 6901) with one more member or item. */
export function pointerTo(parent: string, name: string | number): string {
  return `${parent}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A name as it was before {@link pointerTo} wrote it into a pointer. */
export function nameInPointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** What a pointer leads to; null where it leads nowhere. */
export function valueAt(data: JsonValue, pointer: string): JsonValue {
  let at: JsonValue | undefined = data;
  for (const part of pointer.split('/').slice(1)) {
    const held: Readonly<Record<string, JsonValue>> | null =
      typeof at === 'object' && at !== null ? (at as Readonly<Record<string, JsonValue>>) : null;
    at = held?.[nameInPointer(part)];
  }
  return at ?? null;
}
