import { expect, it } from '@jest/globals';
import { trimmed } from './span-text.js';

it('a part is trimmed of what stands around it, single dots too', () => {
  const text = '- · A. Title (draft) . , ';
  expect(trimmed(text, 0, text.length)).toEqual({ from: 4, to: 20, text: 'A. Title (draft)' });
});

/** A search that begins anew at each mark would need longer for it than a test may take. */
it('a part of hundreds of thousands of marks is trimmed like any other', () => {
  const text = `A${' .'.repeat(300_000)}x`;
  expect(trimmed(text, 0, text.length).text).toBe(text);
});
