import { describe, expect, it } from '@jest/globals';
import { normalizedEmail } from './email.js';

describe('CP-269 addresses of owners that are to be', () => {
  it('are compared trimmed and in lower case', () => {
    expect(normalizedEmail('email', ' Ada@Example.TEST ')).toBe('ada@example.test');
  });

  it.each(['', 'ada', 'a@b@c', 'a b@c', '@c', 'a@', 'a@b c'])('%j is none', (text) => {
    expect(() => normalizedEmail('email', text)).toThrow('email: must be an e-mail address');
  });
});
