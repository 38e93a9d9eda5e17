import type { JsonObject, JsonValue } from '../../domain/json.js';

/** A member of an event's data as text: the server's types may grow, and nothing of them may break a timeline. */
export function textOf(data: JsonObject, member: string): string {
  return asText(data[member]);
}

export function asText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
