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

  const tableOf = (lines: string[][], headerRows = 1) => {
    const cells = lines.flatMap((line, row) =>
      line.flatMap((text, column) =>
        text === ''
          ? []
          : [
              {
                row,
                column,
                rowSpan: 1,
                columnSpan: 1,
                text,
                pageNumber: 1,
                box: [0, 0, 0, 0] as const,
                cell: `A${row + 3}`,
              },
            ],
      ),
    );
    return { columns: lines[0]?.length ?? 0, rows: lines.length, headerRows, sheetName: 'S', cells };
  };
  const typesOf = (lines: string[][], headerRow: number | null = null) =>
    leafTypesOf(inferSchema(tableOf(lines), { shape: null, headerRow }).jsonSchema);

  it('DI-013 a list of things with names and types of their own is no template', () => {
    const things = typesOf([
      ['Name', 'Type', 'Description'],
      ['Ann', 'senior', 'x y'],
      ['Bob', 'junior', 'z'],
    ]);
    expect(things).toEqual({ 'rows[].name': 'string', 'rows[].type': 'string', 'rows[].description': 'string' });
    expect(
      typesOf([
        ['Total', 'number'],
        ['Paid', 'yes/no'],
      ]),
    ).toEqual({ total: 'number', paid: 'boolean' });
  });

  it('DI-013 reads units in headers, columns without one, names that repeat, and the header row that somebody names', () => {
    expect(
      typesOf([
        ['Price, EUR', 'Weight in kg', 'Cost €'],
        ['1', '2.5', '3'],
      ]),
    ).toEqual({
      'rows[].price': 'number',
      'rows[].weight': 'number',
      'rows[].cost': 'number',
    });
    const { jsonSchema, warnings } = inferSchema(
      tableOf([
        ['Pieces', 'Pieces', ''],
        ['1', '2', 'word'],
      ]),
      {
        shape: 'record',
        headerRow: null,
      },
    );
    expect(leafTypesOf(jsonSchema)).toEqual({ pieces: 'integer', pieces2: 'integer', column3: 'string' });
    expect(warnings.map(({ code }) => code)).toEqual(['renamed', 'unknown_noun']);
    expect(
      typesOf(
        [
          ['Title', ''],
          ['Date', 'Pieces'],
          ['2024-01-01', '3'],
        ],
        4,
      ),
    ).toEqual({
      'rows[].date': 'date',
      'rows[].pieces': 'integer',
    });
  });
});
