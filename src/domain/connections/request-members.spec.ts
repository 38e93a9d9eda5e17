import { describe, expect, it } from '@jest/globals';
import { parseDisplayName } from './label.js';
import { parseOAuthClient, parseScopes } from './oauth-client.js';
import { parseOwner } from './owner.js';

const refusal = (member: string) =>
  expect.objectContaining({
    code: 'invalid_request',
    message: expect.stringMatching(`^${member}`),
  });

describe('members of a connection request', () => {
  it('CP-122 an owner that is left out or blank is the organization; another word is refused', () => {
    for (const owner of [undefined, null, '', '  ', 'organization']) expect(parseOwner(owner)).toBe('organization');
    expect(parseOwner('personal')).toBe('personal');
    for (const owner of ['Personal', 'user', 'org', 5, [], {}, false]) {
      expect(() => parseOwner(owner)).toThrow(refusal('owner: '));
    }
  });

  it('CP-119 a label is trimmed, has a default, and hides nothing', () => {
    expect(parseDisplayName(undefined, 'host')).toBe('host');
    expect(parseDisplayName(null, 'host')).toBe('host');
    expect(parseDisplayName('  ', 'host')).toBe('host');
    expect(parseDisplayName(' Our tracker ✓ ', 'host')).toBe('Our tracker ✓');
    for (const name of [5, {}, 'x'.repeat(201), 'a\u202eb', 'a\u200bb', 'a\u0007', 'two\nlines']) {
      expect(() => parseDisplayName(name, 'host')).toThrow(refusal('display_name: '));
    }
  });

  it('CP-121 scopes are tokens, each once', () => {
    expect(parseScopes(undefined)).toEqual([]);
    expect(parseScopes(null)).toEqual([]);
    expect(parseScopes(['read:x', 'write', 'read:x'])).toEqual(['read:x', 'write']);
    for (const scopes of ['read', [''], ['a b'], ['a"b'], ['a\\b'], [5], Array.from({ length: 65 }, () => 'x')]) {
      expect(() => parseScopes(scopes)).toThrow(refusal('scopes'));
    }
  });

  it('a client that was registered by hand has an id, and a secret only with it', () => {
    expect(parseOAuthClient({})).toEqual({ scopes: [], clientId: null, clientSecret: null });
    expect(parseOAuthClient({ client_id: ' c ', client_secret: 's' })).toEqual({
      scopes: [],
      clientId: 'c',
      clientSecret: 's',
    });
    expect(() => parseOAuthClient({ client_secret: 's' })).toThrow(refusal('client_secret: '));
    expect(() => parseOAuthClient({ client_id: 5 })).toThrow(refusal('client_id: '));
  });
});
