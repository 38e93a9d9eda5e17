import { describe, expect, it } from '@jest/globals';
import { readRedirectTarget } from './redirect-target.js';

describe('where a login leads', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['/app', '/app'],
    ['/app/sessions/0190?tab=events#last', '/app/sessions/0190?tab=events#last'],
    ['/a.b/..c/c..', '/a.b/..c/c..'],
    ['/app?next=%20caf%C3%A9', '/app?next=%20caf%C3%A9'],
    ['/a//b', '/a//b'],
    ['/a b?c=é', '/a%20b?c=%C3%A9'],
  ])('CP-281 %j is %j', (given, target) => expect(readRedirectTarget(given)).toBe(target));

  it.each([
    'app',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    '/\tevil',
    '/a\nb',
    '/a\u0000',
    '/a%00',
    '/a%0d%0aset-cookie:x',
    '/%7f',
    '/%2fevil.example',
    '/%2Fevil.example',
    '/a%2Fb',
    '/%5cevil.example',
    '/a%5Cb',
    '/.',
    '/..',
    '/./a',
    '/a/../b',
    '/a/..',
    '/%2e/a',
    '/%2E%2e/a',
    '/.%2e/a',
    '/a/%2e',
    '/%',
    '/a%2',
    '/a%zz',
    '/%c3%28',
    '/%252fevil.example',
    '/a%2525',
    '/a%25',
    `/${'a'.repeat(2048)}`,
  ])('CP-281 %j is refused', (given) => expect(readRedirectTarget(given)).toBeNull());
});
