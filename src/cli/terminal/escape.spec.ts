import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/random/any-character.js';
import { HOSTILE } from '../../../test/support/texts/hostile-texts.js';
import { block, columns, inline, short, wrap } from './escape.js';

// eslint-disable-next-line no-control-regex -- the point of the test
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/;

describe('escaping of foreign text', () => {
  it.each(HOSTILE)('neutralises a text that %s', (_, text) => {
    expect(withoutPairs(inline(text))).not.toMatch(DANGEROUS);
    expect(withoutPairs(block(text)).replaceAll(/[\n\t]/g, '')).not.toMatch(DANGEROUS);
    expect(inline(text)).not.toBe(text);
  });

  it('never lets a control, format or surrogate character through, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => !DANGEROUS.test(withoutPairs(inline(text)))));
  });

  it('leaves ordinary text of any language as it is', () => {
    for (const text of ['npm test', 'naïve café', '日本語のテスト', 'مرحبا', 'שלום', 'Ωμέγα 🚀', 'e\u0301'])
      expect(inline(text)).toBe(text);
  });

  it('keeps lines and tabs in a block and shows other breaks', () => {
    expect(block('a\tb\r\nc\rd')).toBe('a\tb\nc\\rd');
  });

  it('cuts stacked marks', () => {
    expect(columns(inline(`z${'\u0301'.repeat(200)}`))).toBe(1);
    expect(inline(`z${'\u0301'.repeat(200)}`).length).toBeLessThan(8);
  });

  it('wraps before a terminal does, whatever it thinks of the width of a character, and loses nothing', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (raw, width) => {
        const line = inline(raw);
        const rows = wrap(line, width);
        const widest = (row: string) => [...row].reduce((sum, character) => sum + (character > '~' ? 2 : 1), 0);
        return rows.join('') === line && rows.every((row) => widest(row) <= width);
      }),
    );
    expect(wrap('', 10)).toEqual(['']);
  });

  it('shortens after escaping, so that the cut cannot reveal half an escape of its own', () => {
    expect(short('abcdef', 4)).toBe('abc…');
    expect(short('\u001b'.repeat(5), 4)).toBe('\\e\\…');
  });
});

/** Characters beyond the basic plane consist of two surrogates that are harmless together. */
function withoutPairs(text: string): string {
  return text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, '');
}
