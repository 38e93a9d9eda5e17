import { describe, expect, it } from '@jest/globals';
import { DocsvcError } from '../errors.js';
import { normalizeName } from './normalize-name.js';

describe('names', () => {
  it('DI-009 are the same name in either spelling of an accent', () => {
    expect(normalizeName('re\u0301sume\u0301.pdf')).toBe(normalizeName('r\u00e9sum\u00e9.pdf'));
  });

  it.each(['a', 'Rechnung 2026 (März).pdf', '合同.pdf', '.hidden', 'a..b', 'x'.repeat(255), '-rf', '<b>.html'])(
    'may be %p',
    (name) => {
      expect(normalizeName(name)).toBe(name);
    },
  );

  it.each(
    [
      [
        '',
        'ä'.repeat(128),
        'a/b.pdf',
        'a\\b.pdf',
        'a\nb',
        'a\u0000b',
        'a\u007fb',
        'a\u0085b',
        'a\u2028b',
        '\ud800.pdf',
      ],
      ['.', '..', 'x'.repeat(256), '  '],
    ].flat(),
  )('are refused when they are %p', (name) => {
    expect(() => normalizeName(name)).toThrow(DocsvcError);
  });
});
