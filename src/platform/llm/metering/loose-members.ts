/** A member of a value that came from outside and may be anything. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** A member that may be a list; none when it is not. */
export function listOf(value: unknown, name: string): unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

/** A member that is a text with something in it. */
export function textOf(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** No answer has as many tokens; a larger number is a defect of its server, and no row could hold the sum of a few. */
const MAX_COUNT = 1e12;

/** A count of tokens; undefined for anything else. */
export function countOf(value: unknown, name: string): number | undefined {
  const count = memberOf(value, name);
  return typeof count === 'number' && count >= 0 && count <= MAX_COUNT ? Math.trunc(count) : undefined;
}
