import { describe, expect, it } from '@jest/globals';
import { AdminToken } from './admin-token.js';
import { readBearer } from './credentials.js';

describe('credentials', () => {
  it('CP-274 a bearer is read with its exact scheme', () => {
    expect(readBearer({ authorization: 'Bearer abc' })).toBe('abc');
    for (const authorization of [undefined, 'bearer abc', 'Bearer', 'Bearer ', 'Basic abc', 'Bearerabc']) {
      expect(readBearer(authorization === undefined ? {} : { authorization })).toBeNull();
    }
  });

  it('a bearer beside a browser session is refused, beside another cookie it is not', () => {
    const authorization = 'Bearer abc';
    expect(() => readBearer({ authorization, cookie: 'x=1;__Host-svc_web=y' })).toThrow('not both');
    expect(() => readBearer({ authorization, cookie: '__Host-svc_web' })).toThrow('not both');
    expect(readBearer({ authorization, cookie: 'my__Host-svc_web=y; __Host-svc_web2=z' })).toBe('abc');
  });

  it('CP-274 CP-301 only the whole token matches', () => {
    const token = new AdminToken('a-token');
    expect(token.matches('a-token')).toBe(true);
    for (const other of ['', 'a-toke', 'a-token ', 'A-token', 'a-tokena']) expect(token.matches(other)).toBe(false);
    expect(() => new AdminToken('')).toThrow('empty');
  });
});
