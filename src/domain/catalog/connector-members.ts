import { findPoison } from '../capabilities/poison-screen.js';
import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject } from '../json.js';

/** A text member: its largest length in characters, and what it has to look like. */
export interface TextRule {
  max: number;
  pattern?: RegExp;
  /** Completes "must be …" when the pattern does not match. */
  shape?: string;
}

/** An optional text, trimmed; blank counts as absent. Hidden and control characters are refused. @throws SandgateError `invalid_request` */
export function optionalText(value: unknown, place: string, rule: TextRule): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw refusal(place, 'must be a string');
  const text = value.trim();
  if (text === '') return null;
  if (text.length > rule.max) throw refusal(place, `has more than ${rule.max} characters`);
  const poison = findPoison(text);
  if (poison !== null) throw refusal(place, `contains the hidden or control character ${poison}`);
  if (rule.pattern !== undefined && !rule.pattern.test(text)) throw refusal(place, `must be ${rule.shape}`);
  return text;
}

/** @throws SandgateError `invalid_request` */
export function requiredText(value: unknown, place: string, rule: TextRule): string {
  const text = optionalText(value, place, rule);
  if (text === null) throw refusal(place, 'is required');
  return text;
}

/** A list of texts, each once; absent is empty. @throws SandgateError `invalid_request` */
export function textList(value: unknown, place: string, limit: number, rule: TextRule): string[] {
  const items = list(value, place, limit);
  return [...new Set(items.map((item, index) => requiredText(item, `${place}[${index}]`, rule)))];
}

/** @throws SandgateError `invalid_request` */
export function list(value: unknown, place: string, limit: number): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > limit) throw refusal(place, `must be an array of at most ${limit}`);
  return value;
}

/** One of a closed set; the first one when absent. @throws SandgateError `invalid_request` */
export function oneOf<const T extends string>(value: unknown, place: string, known: readonly [T, ...T[]]): T {
  if (value === undefined || value === null) return known[0];
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw refusal(place, `must be one of ${known.join(', ')}`);
  return found;
}

/** @throws SandgateError `invalid_request` */
export function optionalObject(value: unknown, place: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) throw refusal(place, 'must be an object');
  return value;
}

export function refusal(place: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${place}: ${reason}`);
}
