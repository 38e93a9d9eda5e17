/** A member of a free-form object as text: the server's types may grow, and that must not break a timeline. */
export function textOf(data: Readonly<Record<string, unknown>>, member: string): string {
  return asText(data[member]);
}

export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
