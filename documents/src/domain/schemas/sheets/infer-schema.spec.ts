import { describe, expect, it } from '@jest/globals';
import { generatedSheets } from '../../../../test/support/schemas/generated-sheets.js';
import { leafTypesOf } from '../../../../test/support/schemas/score-schema.js';
import { checkSchema } from '../check-schema.js';
import { columnKind } from './column-kind.js';
import { inferSchema } from './infer-schema.js';

describe('a schema from a sheet', () => {
  it('DI-013 thirty generated sheets give the schemas that they mean', () => {
    const sheets = generatedSheets();
    expect(sheets).toHaveLength(30);
    const made = sheets.map(({ name, table, shape }) => ({
      name,
      types: leafTypesOf(inferSchema(table, { shape: shape ?? null, headerRow: null }).jsonSchema),
    }));
    expect(made).toEqual(sheets.map(({ name, expected }) => ({ name, types: expected })));
  });

  it('DI-013 each of them passes the validator, and keeps the header as it was in the description', () => {
    for (const { table, shape } of generatedSheets()) {
      const { jsonSchema } = inferSchema(table, { shape: shape ?? null, headerRow: null });
      expect(checkSchema(jsonSchema).faults).toEqual([]);
    }
    const [first] = generatedSheets();
    const text = JSON.stringify(inferSchema(first?.table as never, { shape: null, headerRow: null }).jsonSchema);
    expect(text).toContain('\\"Item name\\"');
  });

  it('DI-013 a column is what nineteen in twenty of its values are, and codes stay texts', () => {
    const kindOf = (header: string, values: string[]): string => columnKind(header, values).kind;
    const numbers = (count: number, odd: number): string[] => [
      ...Array.from({ length: count }, (_, at) => String(at)),
      ...Array.from({ length: odd }, () => 'none'),
    ];
    expect(kindOf('Score of game', numbers(95, 5))).toBe('number');
    expect(kindOf('Score of game', numbers(94, 6))).toBe('text');
    expect(kindOf('X', ['00123', '00456', '78901'])).toBe('identifier');
    expect(kindOf('X', ['4006381333931', '4006381333948'])).toBe('identifier');
    expect(kindOf('Order date', ['45292', '45300'])).toBe('date');
    expect(kindOf('X', ['45292', '45300'])).toBe('integer');
    expect(columnKind('X', ['€1,200.50', '€3.00'])).toEqual({ kind: 'number', values: null, unit: '€' });
    expect(columnKind('X', [...'aaabbb'])).toEqual({ kind: 'text', values: ['a', 'b'], unit: null });
    expect(columnKind('X', [...'aaabb'])).toEqual({ kind: 'text', values: null, unit: null });
  });
});
