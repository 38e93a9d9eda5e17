import type { JsonPrimitive } from '../../../../../../src/domain/json.js';
import type { ListAnswer, ScalarAnswer } from '../../model/answer.js';
import type { LeafTarget } from '../../compile/target.js';
import type { Reading, WordRange } from '../../model/reading.js';
import { NORMALIZERS, type NormalizerName } from '../../values/normalizers.js';

/** Words that answer a leaf. */
export interface Said {
  raw: string;
  at: WordRange[];
  foundBy: string;
  /** How clearly they do, 0…1. */
  find: number;
}

export const NO_ITEMS: ListAnswer = { kind: 'list', items: [], expectedRows: null, method: null, missingPages: [] };

/** A leaf of which an entry says nothing. */
export function unsaid(find = 0.5): ScalarAnswer {
  return { kind: 'scalar', value: null, evidence: null, signals: { read: 0.99, find, fit: 1, agree: 0.5, ground: 1 } };
}

/** What the first way of reading the words that fits the schema makes of them; null where none does. */
export function saidAnswer(
  { node }: LeafTarget,
  { raw, at, foundBy, find }: Said,
  { reading, by = ['passage'] }: { reading: Reading; by?: readonly NormalizerName[] },
): ScalarAnswer {
  if (at.length === 0) return unsaid(find);
  for (const normalizedBy of by) {
    const value = NORMALIZERS[normalizedBy](raw, node);
    if (value === null || !isTaken(value, node)) continue;
    const match = String(value) === raw ? 'exact' : 'normalized';
    const signals = { read: readOf(at, reading), find, fit: 1, agree: 0.5, ground: match === 'exact' ? 1 : 0.95 };
    const source = sourceOf(at, reading);
    return { kind: 'scalar', value, evidence: { raw, normalizedBy, at, match, source, foundBy }, signals };
  }
  return unsaid(find);
}

/** What follows from words that do not say it themselves. */
export function inferredAnswer(value: JsonPrimitive, { raw, at, foundBy, find }: Said, reading: Reading): ScalarAnswer {
  const signals = { read: readOf(at, reading), find, fit: 1, agree: 0.5, ground: 0.8 };
  const source = sourceOf(at, reading);
  const evidence = { raw, normalizedBy: 'verbatim', at, match: 'inferred', source, foundBy } as const;
  return { kind: 'scalar', value, evidence, signals };
}

/** A value that the schema has a type for. */
function isTaken(value: JsonPrimitive, { rules }: LeafTarget['node']): boolean {
  return rules.some(({ type, values }) => {
    if (values !== null && !values.includes(value)) return false;
    return type === typeof value || (type === 'integer' && Number.isInteger(value));
  });
}

function readOf(at: readonly WordRange[], reading: Reading): number {
  return Math.min(0.99, ...at.flatMap((range) => reading.wordsOf(range).map(({ confidence }) => confidence)));
}

function sourceOf([first]: readonly WordRange[], reading: Reading): 'text_layer' | 'ocr' | 'cell' | 'form_field' {
  return (first === undefined ? undefined : reading.wordsOf(first)[0]?.source) ?? 'text_layer';
}
