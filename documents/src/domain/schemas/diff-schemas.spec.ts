import { expect, it } from '@jest/globals';
import { diffSchemas } from './diff-schemas.js';

const text = (description: string) => ({ type: 'string', description });

it('DI-010 two versions differ by what was added, removed and changed', () => {
  const rows = (properties: object) => ({ type: 'array', description: 'Rows.', items: { type: 'object', properties } });
  const before = { type: 'object', properties: { a: text('A.'), b: text('B.'), rows: rows({ c: text('C.') }) } };
  const after = {
    type: 'object',
    required: ['a'],
    properties: {
      rows: rows({ c: { type: ['number', 'null'], minimum: 0, description: 'C.' }, d: text('D.') }),
      a: text('A.'),
    },
  };
  expect(diffSchemas(before as never, after as never)).toEqual([
    { path: '/rows/*/c', change: 'changed', before: 'string: C.', after: 'number {"minimum":0} or null: C.' },
    { path: '/rows/*/d', change: 'added', before: null, after: 'string: D.' },
    { path: '/a', change: 'changed', before: 'string: A.', after: 'string, required: A.' },
    { path: '/b', change: 'removed', before: 'string: B.', after: null },
  ]);
  expect(diffSchemas(before as never, before as never)).toEqual([]);
});
