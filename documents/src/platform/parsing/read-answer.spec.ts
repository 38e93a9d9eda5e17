import { describe, expect, it } from '@jest/globals';
import { AnswerReader } from './read-answer.js';

const MIB = 1024 * 1024;
const OUTPUT = { kind: 'limit', limit: 'output' };
const LAST = '{"done":true}\n';

/** Makes nothing of what it gets, so that only what is counted before can refuse a line. */
function read(text: string, maxLineBytes = 32 * MIB, chunkBytes = 65_536) {
  const answer = new AnswerReader(maxLineBytes, (item) => typeof item);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) answer.push(bytes.subarray(at, at + chunkBytes));
  const { items, end, fault } = answer;
  return { items, end, fault };
}
const line = (item: string): string => `{"item":${item}}\n`;
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join(',');

describe('an answer that would take the memory of its reader', () => {
  it.each([
    ['two million empty lists', line(`[${'[],'.repeat(1_999_999)}[]]`)],
    ['two million empty objects', line(`[${'{},'.repeat(1_999_999)}{}]`)],
    ['lists inside each other', line('['.repeat(40) + ']'.repeat(40))],
    ['lists inside each other that never end', `${line('{"a":'.repeat(5_000_000)).trimEnd()}\n`],
    ['ten million values', line(`[${'0,'.repeat(10_000_001)}0]`)],
    ['a thousand names', line(`{${many(1000, (index) => `"name${index}":0`)}}`)],
    ['a name as long as a page', line(`{"${'n'.repeat(4000)}":0}`)],
    ['a name that ends in what looks like its end', line(`{"${String.raw`\"`.repeat(40)}":0}`)],
  ])('%s: refused by name, before it is read', (_what, text) => {
    const { items, end, fault } = read(line('1') + text + LAST);
    expect(fault).toMatchObject(OUTPUT);
    expect(end).toBeNull();
    expect(items[0]).toBe('number');
    expect(items).not.toContain('object');
  });

  it('lists that come to two million in many lines are too many together', () => {
    const { items, end, fault } = read(line(`[${'[],'.repeat(99_999)}[]]`).repeat(20) + LAST);
    expect({ end, fault }).toMatchObject({ end: null, fault: OUTPUT });
    expect(items).toHaveLength(19);
  });

  it('a line longer than its call allows is refused, and those before it are kept', () => {
    const { items, fault } = read(line('1') + line(`"${'x'.repeat(MIB)}"`) + LAST, MIB);
    expect({ items, fault }).toMatchObject({ items: ['number'], fault: OUTPUT });
    expect(fault?.message).toBe('the parser reached its limit of 1048576 bytes in a line');
  });

  it('a line that does not end is refused once it is too long, not when it ends', () => {
    const { items, fault } = read(`${line('1')}{"item":"${'x'.repeat(2 * MIB)}`, MIB);
    expect({ items, fault }).toMatchObject({ items: ['number'], fault: OUTPUT });
  });

  it.each([1, 7, 65_536])('an answer that comes in pieces of %d bytes is the same answer', (chunkBytes) => {
    const text = line('1') + line('"ä€😀"') + '{"failure":{"kind":"broken","message":"ü"}}\n';
    const end = { failure: { kind: 'broken', message: 'ü' } };
    expect(read(text, MIB, chunkBytes)).toEqual({ items: ['number', 'string'], end, fault: null });
    expect(read(`${text}x`, MIB, chunkBytes)).toMatchObject({ end, fault: { kind: 'crashed' } });
  });

  it('what stands in a text counts for nothing', () => {
    const text = String.raw`{"text":"\\\"[[{{::,,"}`.replace('[[', '[['.repeat(2_000_000));
    expect(read(line(text) + LAST)).toEqual({ items: ['object'], end: { failure: null }, fault: null });
  });

  it('a sheet of as many cells as a page may have is read', () => {
    const box = [0.123, 0.456, 0.111, 0.222];
    const word = ['word', ...box, 0, 4, 'cell', 1, null, null, 'AB1234'];
    const place = { row: 7, column: 7, rowSpan: 1, columnSpan: 1 };
    const cell = { ...place, text: 'word', pageNumber: 1, box, cell: 'AB1234' };
    const all = (one: object): string => many(200_000, () => JSON.stringify(one));
    const lists = { words: all(word), lines: all({ first: 1, last: 1, box }), cells: all(cell) };
    const page = Object.entries(lists).map(([name, list]) => `"${name}":[${list}]`);
    expect(read(line(`{${page.join(',')}}`) + LAST, 128 * MIB)).toMatchObject({ items: ['object'], fault: null });
  });
});
