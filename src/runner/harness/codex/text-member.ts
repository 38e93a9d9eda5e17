import type { JsonObject, JsonValue } from '../../../domain/json.js';

/** A member of a message that should be a text; empty when it is missing or of another type. */
export function textMember(object: JsonObject, name: string): string {
  return textOf(object[name]);
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
