import { describe, expect, it } from '@jest/globals';
import { parseStaticCredential, staticHeaders, type StaticCredentialInput } from './static-credential.js';

/** The header that a request of these members leads to. */
function sent(input: StaticCredentialInput): Record<string, string> {
  const { token, metadata } = parseStaticCredential(input);
  return staticHeaders(metadata, token);
}

describe('static credentials', () => {
  it.each<[StaticCredentialInput, Record<string, string>]>([
    [{ token: 'abc' }, { authorization: 'Bearer abc' }],
    [{ token: 'abc', scheme: null, header_name: null }, { authorization: 'Bearer abc' }],
    [{ token: 'abc', scheme: '' }, { authorization: 'abc' }],
    [{ token: 'ünï:cöde', scheme: 'Basic' }, { authorization: `Basic ${Buffer.from('ünï:cöde').toString('base64')}` }],
    [{ token: 'abc', header_name: 'X-Api-Key', scheme: '' }, { 'X-Api-Key': 'abc' }],
    [{ token: 'abc', header_name: 'Sentry-Bearer' }, { 'Sentry-Bearer': 'Bearer abc' }],
    [{ token: 'abc', header_name: 'AUTHORIZATION' }, { authorization: 'Bearer abc' }],
  ])('CP-121 %j travels as %j and as nothing else', (input, headers) => {
    expect(sent(input)).toEqual(headers);
  });

  it('keeps only what is not the default, and the token nowhere but in the token', () => {
    expect(parseStaticCredential({ token: 'abc' }).metadata).toEqual({});
    expect(parseStaticCredential({ token: 'abc', scheme: '', header_name: 'X-Key' }).metadata).toEqual({
      scheme: '',
      header_name: 'X-Key',
    });
  });

  it.each<[string, StaticCredentialInput]>([
    ['token', { token: 'with\u0000control' }],
    ['token', { token: 'with\r\nx-injected: 1' }],
    ['token', { token: 'ünicode' }],
    ['token', { token: 'no-colon', scheme: 'Basic' }],
    ['scheme', { token: 'a', scheme: 'bearer' }],
    ['scheme', { token: 'a', scheme: 'Digest' }],
    ...['host', 'Content-Length', 'content-type', 'Accept', 'Mcp-Session-Id', 'mcp-protocol-version'].map(
      (header_name): [string, StaticCredentialInput] => ['header_name', { token: 'a', header_name }],
    ),
    ['header_name', { token: 'a', header_name: '' }],
    ['header_name', { token: 'a', header_name: 'x y' }],
    ['header_name', { token: 'a', header_name: 'x:y' }],
    ['header_name', { token: 'a', header_name: 'x'.repeat(65) }],
  ])('refuses, naming %s: %j', (member, input) => {
    expect(() => parseStaticCredential(input)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(`^${member}: `) }),
    );
  });

  it('CP-118 has no token in a refusal', () => {
    const secret = 'sécret-of-somebody';
    try {
      parseStaticCredential({ token: secret });
      throw new Error('not refused');
    } catch (error) {
      expect((error as Error).message).toMatch(/^token: /);
      expect((error as Error).message).not.toContain(secret);
    }
  });
});
