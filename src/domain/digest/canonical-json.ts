import type { ExactJson, ExactObject } from './exact-json.js';
import { isRawNumber } from './exact-json.js';

/**
 * The RFC 8785 form: members sorted by UTF-16 code units, no white space, shortest numbers; a kept number by its source text
 * (docs/design/gate.md). A lone surrogate is written as its escape, where the RFC would refuse: every input has to have a digest.
 * Members that are `undefined` are left out. Throws on numbers that JSON cannot write.
 */
export function canonicalJson(value: ExactJson): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  return canonicalObject(value);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('a number that is not finite has no JSON form');
  return JSON.stringify(value);
}

function canonicalObject(value: ExactObject): string {
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
