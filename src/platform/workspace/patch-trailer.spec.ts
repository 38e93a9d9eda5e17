import { describe, expect, it } from '@jest/globals';
import { patchTrailer, quotePath } from './patch-trailer.js';

describe('the trailer of a patch', () => {
  it('is empty when nothing was left out and nothing was cut', () => {
    expect(patchTrailer({ leftOut: [], unlisted: 0, truncated: false })).toBe('');
  });

  it('no name can end its line, open a hunk or reach the terminal', () => {
    const path = Buffer.from('x\n@@ -1 +1 @@\ndiff --git a/y b/y\r\u001b[31m"\\\u202e').toString('latin1');
    const entry = { path, folder: true, why: 'build product', files: 1, bytes: 2, digest: 'ab' };
    const text = patchTrailer({ leftOut: [entry, { ...entry, folder: false }], unlisted: 3, truncated: true });
    const lines = text.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line).toMatch(/^# [\u0020-\u007e]+$/);
  });

  it('quotes every byte that is not plain', () => {
    expect(quotePath(Buffer.from([0x61, 0x0a, 0xff, 0x22, 0x5c, 0x7f]))).toBe(String.raw`"a\012\377\"\\\177"`);
  });
});
