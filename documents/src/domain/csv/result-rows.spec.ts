import { describe, expect, it } from '@jest/globals';
import { compileSchema } from '../schemas/compile-schema.js';
import { csvCell } from './csv-cell.js';
import { ResultTable } from './result-rows.js';

const text = (description: string): object => ({ type: 'string', description });
const schema = compileSchema({
  type: 'object',
  properties: {
    number: text('Its number.'),
    seller: {
      type: 'object',
      description: 'Who sells.',
      properties: {
        name: text('A name.'),
        phones: { type: 'array', description: 'Phones.', items: { type: 'string' } },
      },
    },
    lines: {
      type: 'array',
      description: 'Positions.',
      items: {
        type: 'object',
        properties: {
          item: text('What it is.'),
          parts: {
            type: 'array',
            description: 'Parts.',
            items: { type: 'object', properties: { code: text('A code.') } },
          },
        },
      },
    },
  },
} as never);

const rows = (data: object, raw = false): string[] => [
  ...new ResultTable(schema, raw).lines({ documentName: 'a.pdf', data: data as never }),
];

describe('results as rows', () => {
  it('have a column for each value that is looked for, in the order of the schema', () => {
    expect(new ResultTable(schema).header()).toBe(
      'documentName,number,seller.name,seller.phones,lines.item,lines.parts.code',
    );
  });

  it('repeat what stands outside of a list for each of its items, inside of other lists too', () => {
    const lines = [
      { item: 'oats', parts: [{ code: 'a' }, { code: 'b' }] },
      { item: 'hay', parts: [] },
    ];
    expect(rows({ number: '7', seller: { name: 'Jansen', phones: [] }, lines })).toEqual([
      'a.pdf,7,Jansen,,oats,a',
      'a.pdf,7,Jansen,,oats,b',
      'a.pdf,7,Jansen,,hay,',
    ]);
  });

  it('put lists that stand beside each other one after the other', () => {
    expect(
      rows({ number: '7', seller: { name: null, phones: ['1', '2'] }, lines: [{ item: 'oats', parts: [] }] }),
    ).toEqual([...['a.pdf,7,,1,,', 'a.pdf,7,,2,,', 'a.pdf,7,,,oats,']]);
  });

  it('are one where nothing was found, also for nullable objects and lists', () => {
    expect(rows({ number: null, seller: null, lines: null })).toEqual(['a.pdf,,,,,']);
  });

  it('are made one after the other: wide values around a long list are not held for each of its items', () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `p${at}`);
    const wide = compileSchema({
      type: 'object',
      properties: {
        ...Object.fromEntries(names.map((name) => [name, text('A text.')])),
        codes: { type: 'array', description: 'Codes.', items: { type: 'string' } },
      },
    });
    const codes = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
    const lines = new ResultTable(wide).lines({ documentName: 'a.pdf', data: { p0: 'once', codes } });
    const [first, second] = [lines.next().value as string, lines.next().value as string];
    expect([first.slice(0, 12), first.slice(-3), second.slice(-3)]).toEqual(['a.pdf,once,,', ',c0', ',c1']);
    lines.return(undefined);
  });

  it('hold nothing that a spreadsheet would run, unless they are to be raw', () => {
    expect(rows({ number: '=1+1', seller: { name: '@sum', phones: [] }, lines: [] })).toEqual([
      `a.pdf,"'=1+1","'@sum",,,`,
    ]);
    expect(rows({ number: '=1+1', seller: { name: '@sum', phones: [] }, lines: [] }, true)).toEqual([
      'a.pdf,=1+1,@sum,,,',
    ]);
  });
});

describe('a cell of CSV', () => {
  it.each([
    ['-1', '-1'],
    ['-12.50', '-12.50'],
    ['-1+1', `"'-1+1"`],
    ['+49 30', `"'+49 30"`],
    ['\tx', `"'\tx"`],
    ['\n=1', `"'\n=1"`],
    [' =1+1', `"' =1+1"`],
    ['\u00a0@x', `"'\u00a0@x"`],
    ['\uff1d1+1', `"'\uff1d1+1"`],
    ['\uff0b1', `"'\uff0b1"`],
    ['\uff0d1', `"'\uff0d1"`],
    ['\uff20x', `"'\uff20x"`],
    ['a=b', 'a=b'],
    ['a "b"', '"a ""b"""'],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    ['plain', 'plain'],
  ])('%j is written as %j', (given, written) => {
    expect(csvCell(given, false)).toBe(written);
  });
});
