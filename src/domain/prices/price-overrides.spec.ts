import { describe, expect, it } from '@jest/globals';
import { parsePriceOverrides } from './price-overrides.js';

const FULL = { input_mtok: 1, output_mtok: 2, cache_read_mtok: 0.1, cache_write_mtok: 1.25, cache_write_1h_mtok: 2 };

describe('price overrides', () => {
  it('CP-074 are YAML or JSON, cached tokens costing as much as plain input unless they are told apart', () => {
    const yaml =
      '# ours\nmodels:\n  house-model: {input_mtok: 0.2, output_mtok: 0.8}\n  "llama:8b":\n    input_mtok: 0\n    output_mtok: 0\n';
    expect(parsePriceOverrides(yaml)).toEqual(
      new Map([
        ['house-model', { input_mtok: 0.2, output_mtok: 0.8, cache_read_mtok: 0.2, cache_write_mtok: 0.2, cache_write_1h_mtok: 0.2 }],
        ['llama:8b', { input_mtok: 0, output_mtok: 0, cache_read_mtok: 0, cache_write_mtok: 0, cache_write_1h_mtok: 0 }],
      ]),
    ); // prettier-ignore
    expect(parsePriceOverrides(JSON.stringify({ models: { m: FULL } }))).toEqual(new Map([['m', FULL]]));
    expect(parsePriceOverrides('models: {}')).toEqual(new Map());
  });

  it.each([
    ['', 'line 1: the document: must be a mapping'],
    ['prices: {}', 'line 1: prices: unknown'],
    ['# nothing', 'line 1: the document'],
    ['models: 3', 'line 1: models: must be a mapping'],
    ['models:\n  a: {input_mtok: 1}', 'line 2: models.a.output_mtok: missing'],
    ['models:\n  a:\n    input_mtok: 1\n    output_mtok: much', 'line 4: models.a.output_mtok: must be a number'],
    ['models:\n  a:\n    input_mtok: -1\n    output_mtok: 1', 'line 3: models.a.input_mtok: must be'],
    ['models:\n  a:\n    input_mtok: .inf\n    output_mtok: 1', 'line 3: models.a.input_mtok: must be'],
    ['models:\n  a:\n    input_mtok:\n    output_mtok: 1', 'line 3: models.a.input_mtok: must be'],
    ['models:\n  a: {input_mtok: 1, output_mtok: 1}\n  a: {input_mtok: 1, output_mtok: 1}', 'line 3: '],
    ['models:\n  a:\n    input_mtok: 1\n    output: 1', 'line 4: models.a.output: unknown'],
    ['models:\n  1: {}', 'line 2: models: every key must be a text'],
    ['models: {a', 'line 1: '],
  ])('CP-074 %j is refused with line and field', (text, message) => {
    expect(() => parsePriceOverrides(text)).toThrow(message);
  });
});
