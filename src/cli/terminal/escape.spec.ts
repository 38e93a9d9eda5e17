import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { block, columns, inline, short } from './escape.js';

/** Texts that have fooled terminals, reviewers and log readers. */
const HOSTILE: readonly [string, string][] = [
  ['clears the screen', '\u001b[2J\u001b[H'],
  ['moves the cursor over the line above', '\u001b[1A\u001b[2Kapproved'],
  ['sets the window title', '\u001b]0;root@host\u0007'],
  ['writes the clipboard (OSC 52)', '\u001b]52;c;cm0gLXJmIH4=\u0007'],
  ['makes a link that lies (OSC 8)', '\u001b]8;;https://evil.example\u001b\\https://good.example\u001b]8;;\u001b\\'],
  ['uses an eight-bit control (CSI)', '\u009b31mred'],
  ['uses an eight-bit string (DCS)', '\u0090q\u009c'],
  ['asks the terminal to answer', '\u001b[6n\u0005'],
  ['overwrites with a carriage return', 'rm -rf /\rls -la   '],
  ['erases with backspaces', 'rm\b\bls'],
  ['reverses the order of reading', 'access\u202e txt.exe'],
  ['isolates the order of reading', '\u2066user\u2069'],
  ['marks the order of reading', '\u200e\u200f\u061c'],
  ['hides zero-width characters', 'pass\u200bword\u200c\u200d\ufeff'],
  ['hides a soft hyphen', 'exam\u00adple'],
  ['hides text in tag characters', 'ok\u{e0041}\u{e0042}'],
  ['hides text in variation selectors', 'ok\u{fe00}\u{e0100}'],
  ['uses blanks that are no blanks', '\u3164\u115f\u2800'],
  ['breaks the line by Unicode', 'one\u2028two\u2029three\u0085four'],
  ['uses invisible operators', '\u2061\u2062\u2063\u2064'],
  ['uses private characters', '\ue000\u{10fffd}'],
  ['has lone surrogates', 'a\ud800b\udc00'],
  ['has NUL and DEL', 'a\0b\u007f'],
  ['imitates our prompt', '\n\u001b[1mApproval needed\u001b[0m\n  allow? [y/n] y'],
];
// eslint-disable-next-line no-control-regex -- the point of the test
const DANGEROUS = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/;

describe('escaping of foreign text', () => {
  it.each(HOSTILE)('neutralises a text that %s', (_, text) => {
    expect(withoutPairs(inline(text))).not.toMatch(DANGEROUS);
    expect(withoutPairs(block(text)).replaceAll(/[\n\t]/g, '')).not.toMatch(DANGEROUS);
    expect(inline(text)).not.toBe(text);
  });

  it('never lets a control, format or surrogate character through, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !DANGEROUS.test(withoutPairs(inline(text)))));
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

  it('shortens after escaping, so that the cut cannot reveal half an escape of its own', () => {
    expect(short('abcdef', 4)).toBe('abc…');
    expect(short('\u001b'.repeat(5), 4)).toBe('\\e\\…');
  });
});

/** Characters beyond the basic plane consist of two surrogates that are harmless together. */
function withoutPairs(text: string): string {
  return text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, '');
}
