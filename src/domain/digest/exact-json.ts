import type { JsonPrimitive } from '../json.js';

/**
 * A number that JavaScript cannot hold as it was written, kept by its source text (docs/design/gate.md).
 * It is made by the parser alone; `JSON.stringify` writes the same text again, so what was judged is what goes upstream.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

/** A parsed document whose inexact numbers are `RawNumber`. Every `JsonValue` is one. */
export type ExactJson = JsonPrimitive | RawNumber | ExactJson[] | { [key: string]: ExactJson };
export type ExactObject = { [key: string]: ExactJson };

/** `JSON.rawJSON` and friends, which the compiler's library does not describe yet. */
interface JsonSourceText {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}
export const jsonSourceText = JSON as unknown as JsonSourceText;

/** Whether the value was made by the parser; an object that merely has a member `rawJSON` is not. */
export function isRawNumber(value: unknown): value is RawNumber {
  return jsonSourceText.isRawJSON(value);
}

export function isExactObject(value: unknown): value is ExactObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
