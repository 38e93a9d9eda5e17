import { describe, expect, it } from '@jest/globals';
import { mayNeedOcr, ocrNeed } from './ocr-need.js';

describe('whether a page is recognized', () => {
  const sentence = 'Twenty characters and more of a text that a person can read. ';

  it.each([
    ['a scan without a text', { text: '', imageCoverage: 1, drawn: false }, 'page'],
    ['a blank page', { text: '', imageCoverage: 0, drawn: false }, 'none'],
    ['letters that are drawn as outlines', { text: '', imageCoverage: 0, drawn: true }, 'page'],
    ['a page number over a scan', { text: 'Page 7', imageCoverage: 0.9, drawn: false }, 'regions'],
    ['a stamp over a scan', { text: sentence, imageCoverage: 0.95, drawn: false }, 'regions'],
    ['a text over a picture of the whole page', { text: sentence.repeat(10), imageCoverage: 1, drawn: false }, 'none'],
    ['a text beside a picture', { text: sentence, imageCoverage: 0.3, drawn: true }, 'none'],
    [
      'characters that are none',
      { text: '\uE000\uE001\uFFFD'.repeat(50) + sentence, imageCoverage: 0, drawn: false },
      'page',
    ],
  ] as const)('%s', (_, sight, need) => {
    expect(ocrNeed(sight)).toBe(need);
    if (need !== 'none') expect(mayNeedOcr(sight.text)).toBe(true);
  });
});
