import { describe, expect, it } from '@jest/globals';
import { AdminToken } from './admin-token.js';
import { readCredentials } from './credentials.js';
import { originOf, refuseCrossSite } from './cross-site.js';

const BOTH = expect.objectContaining({ httpStatus: 400 });
const UNKNOWN = expect.objectContaining({ httpStatus: 401 });

describe('credentials', () => {
  it('CP-274 a bearer is read with its exact scheme', () => {
    expect(readCredentials({ authorization: 'Bearer abc' })).toEqual({ bearer: 'abc', cookie: null });
    for (const authorization of [undefined, 'bearer abc', 'Bearer', 'Bearer ', 'Basic abc', 'Bearerabc']) {
      const headers = authorization === undefined ? {} : { authorization };
      expect(readCredentials(headers)).toEqual({ bearer: null, cookie: null });
    }
  });

  it('a bearer beside a browser session is refused, beside another cookie it is not', () => {
    const authorization = 'Bearer abc';
    for (const cookie of ['x=1;__Host-svc_web=y', '__Host-svc_web', '__Host-svc_web=a; __Host-svc_web=b']) {
      expect(() => readCredentials({ authorization, cookie })).toThrow(BOTH);
    }
    expect(() => readCredentials({ authorization: 'Bearer ', cookie: '__Host-svc_web=y' })).toThrow(BOTH);
    expect(readCredentials({ authorization, cookie: 'my__Host-svc_web=y; __Host-svc_web2=z' }).bearer).toBe('abc');
  });

  it('a browser session is read from its cookie, and of two nobody knows which', () => {
    expect(readCredentials({ cookie: 'a=b; __Host-svc_web=x=y ;c' }).cookie).toBe('x=y');
    expect(readCredentials({ authorization: 'Basic abc', cookie: '__Host-svc_web=x' }).cookie).toBe('x');
    expect(() => readCredentials({ cookie: '__Host-svc_web=x; a=b; __Host-svc_web=x' })).toThrow(UNKNOWN);
  });

  it('CP-274 CP-301 only the whole token matches', () => {
    const token = new AdminToken('a-token');
    expect(token.matches('a-token')).toBe(true);
    for (const other of ['', 'a-toke', 'a-token ', 'A-token', 'a-tokena']) expect(token.matches(other)).toBe(false);
    expect(() => new AdminToken('')).toThrow('empty');
  });
});

describe('a request that another site could have made', () => {
  const refusal =
    (method: string, headers: Record<string, string>, ours = 'https://sandgate.example') =>
    (): void =>
      refuseCrossSite({ method, headers }, ours);
  const FORBIDDEN = expect.objectContaining({ httpStatus: 403 });

  it.each(['GET', 'HEAD', 'OPTIONS'])('CP-167 may read by %s', (method) => {
    expect(refusal(method, { origin: 'https://evil.example' })).not.toThrow();
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('CP-167 changes nothing by %s without the header', (method) => {
    for (const marker of [undefined, '', '0', '2', '11', 'true', '1, 1']) {
      const headers: Record<string, string> = marker === undefined ? {} : { 'x-service-csrf': marker };
      expect(refusal(method, headers)).toThrow(FORBIDDEN);
    }
    for (const marker of ['1', ' 1 ']) expect(refusal(method, { 'x-service-csrf': marker })).not.toThrow();
  });

  it.each([
    'https://evil.example',
    'http://sandgate.example',
    'https://sandgate.example:8443',
    'https://sandgate.example.evil.example',
    'https://sub.sandgate.example',
    'null',
    '',
    'sandgate.example',
    'https://sandgate.example, https://evil.example',
    'file:///sandgate.example',
  ])('CP-167 comes from the origin %p, which is not ours', (origin) => {
    expect(refusal('POST', { 'x-service-csrf': '1', origin })).toThrow(FORBIDDEN);
  });

  it('CP-167 is compared by scheme, host and effective port', () => {
    for (const origin of ['https://sandgate.example', 'https://SANDGATE.example', 'https://sandgate.example:443']) {
      expect(refusal('POST', { 'x-service-csrf': '1', origin })).not.toThrow();
    }
    expect(originOf('http://127.0.0.1:80/app')).toBe('http://127.0.0.1');
    expect(originOf('data:text/plain,x')).toBeNull();
  });
});
