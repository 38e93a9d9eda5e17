import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../../src/domain/json.js';
import { Random } from '../../../bench/search/random.js';
import { drawnPdf, type Drawing } from '../../parsing/generated-files.js';

/** A document that is drawn from its values. */
export interface Drawn {
  gold: JsonObject;
  draw: (drawing: Drawing) => void;
}

/** A kind of document with a schema of its own, in several layouts. */
export interface GeneratedClass {
  name: string;
  schema: JsonObject;
  /** One layout for each. */
  layouts: readonly ((random: Random) => Drawn)[];
}

/** Writes a class as gold is kept: `schema.json`, and each document with its values beside it; the same bytes for the same seed. */
export async function writeClass(folder: string, one: GeneratedClass, count: number, seed: number): Promise<void> {
  const place = join(folder, one.name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'schema.json'), JSON.stringify(one.schema, null, 2));
  for (let at = 0; at < count; at += 1) {
    const layout = one.layouts[at % one.layouts.length];
    if (layout === undefined) throw new RangeError(`${one.name} has no layout`);
    const { gold, draw } = layout(new Random(seed + at));
    const name = `${one.name}-${String(at + 1).padStart(2, '0')}`;
    writeFileSync(join(place, `${name}.pdf`), await drawnPdf(draw), { mode: 0o644 });
    writeFileSync(join(place, `${name}.gold.json`), JSON.stringify(gold, null, 2));
  }
}

/** An object of a schema: each key with its type and description. */
export function objectOf(properties: Record<string, JsonObject>): JsonObject {
  return { type: 'object', properties };
}

export const text = (description: string): JsonObject => ({ type: ['string', 'null'], description });
export const date = (description: string): JsonObject => ({ type: ['string', 'null'], format: 'date', description });
export const number = (description: string): JsonObject => ({ type: ['number', 'null'], description });
export const integer = (description: string): JsonObject => ({ type: ['integer', 'null'], description });
export const listOf = (description: string, properties: Record<string, JsonObject>): JsonObject => ({
  type: 'array',
  description,
  items: objectOf(properties),
});
