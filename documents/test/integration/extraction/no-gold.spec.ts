import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { goldClassesOf } from '../../../src/embedded/benchmark/gold-classes.js';

/** A folder with gold on which weights were fitted. Without it there is nothing to look for. */
const GOLD = process.env['TEST_DOCUMENT_GOLD'];
/** Rules, lexicons, weights and tables of the engine. */
const ENGINE = ['documents/src/domain/extraction', 'documents/src/domain/schemas/words'];
const SHORTEST = 8;
/** Words of every day, which name no document and nobody. */
const EVERYDAY: ReadonlySet<string> = new Set(['fellowship', 'not found']);

describe('the engine of extraction', () => {
  (GOLD === undefined ? it.skip : it)('names nothing that a document of the gold says', () => {
    const sources = ENGINE.flatMap(sourcesIn).map(({ file, text }) => ({ file, plain: plainOf(text) }));
    const found = goldClassesOf(resolve(GOLD ?? '')).flatMap(({ schema, documents }) => {
      const schemaSays = plainOf(JSON.stringify(schema));
      const values = new Set(documents.flatMap(({ gold }) => textsIn(gold)).map(plainOf));
      return [...values]
        .filter((value) => value.length >= SHORTEST && !EVERYDAY.has(value) && !schemaSays.includes(value))
        .flatMap((value) =>
          sources
            .filter(({ plain }) => ` ${plain} `.includes(` ${value} `))
            .map(({ file }) => `${file} names ${value}`),
        );
    });
    expect(found).toEqual([]);
  });
});

function sourcesIn(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));
}

/** Spaces count: `United States` is looked for as two words beside each other, however a list of words is wrapped. */
const plainOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
