import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SchemaFinding } from '../../domain/gate/schema-finding.js';
import type { JsonObject } from '../../domain/json.js';
import { SchemaPool } from './schema-pool.js';

let pool: SchemaPool;
beforeAll(() => {
  pool = new SchemaPool();
});
afterAll(() => pool.close());

const TIMED_OUT = { kind: 'unusable', reason: 'its validator ran longer than 50 ms' };

function check(schema: JsonObject, input: unknown = {}, run = 'run', of = pool): Promise<SchemaFinding> {
  const text = JSON.stringify(schema);
  return of.check(run, { key: text, dialect: '2020-12', schema: text, input: JSON.stringify(input) });
}

/** Every definition asks the next one twice: 2^levels evaluations. */
function doubling(levels: number): JsonObject {
  const $defs: JsonObject = { [`d${levels}`]: { type: 'string' } };
  for (let i = 0; i < levels; i += 1)
    $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
  return { $defs, $ref: '#/$defs/d0' };
}

describe('the schema pool', () => {
  it('CP-313 answers what the validators find', async () => {
    const schema = { type: 'object', required: ['q'] };
    expect(await check(schema, { q: 1 })).toEqual({ kind: 'valid' });
    expect(await check(schema, {})).toEqual({ kind: 'rejected', pointers: '(root)' });
    expect(await check({ type: 'strng' })).toMatchObject({ kind: 'unusable' });
  });

  it('CP-316 ends a validator at its deadline and goes on with another thread', async () => {
    expect(await check(doubling(40))).toEqual(TIMED_OUT);
    expect(await check({ type: 'object' })).toEqual({ kind: 'valid' });
  });

  it('CP-316 lets the calls of other runs through between the bombs of one', async () => {
    const bombs = Array.from({ length: 12 }, () => check(doubling(40), {}, 'bomber'));
    let exploded = 0;
    for (const bomb of bombs) void bomb.then(() => (exploded += 1));
    for (let i = 0; i < 2; i += 1) expect(await check({ type: 'object' }, {}, 'other')).toEqual({ kind: 'valid' });
    expect(exploded).toBeLessThan(bombs.length);
    expect(await Promise.all(bombs)).toEqual(bombs.map(() => TIMED_OUT));
  });

  it('CP-316 ends a validator that only collects, by its memory or by its time', async () => {
    // Eighty-one million errors, all of them kept.
    const many = { items: { allOf: Array.from({ length: 9_000 }, () => ({ type: 'string' })) } };
    const finding = await check(
      many,
      Array.from({ length: 9_000 }, () => 0),
    );
    expect(finding.kind).toBe('unusable');
    expect(await check({ type: 'object' })).toEqual({ kind: 'valid' });
  });

  it('fails what still waits when it is closed, instead of calling a tool unusable', async () => {
    const closing = new SchemaPool();
    const waiting = [
      check(doubling(40), {}, 'a', closing),
      check(doubling(40), {}, 'a', closing),
      check({}, {}, 'b', closing),
    ];
    const outcomes = Promise.allSettled(waiting);
    closing.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(check({}, {}, 'a', closing)).rejects.toThrow('stopped');
  });
});
