import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { parseScopes, registeredClient } from '../../domain/connections/oauth-client.js';
import { parseStaticCredential, staticHeaders } from '../../domain/connections/static-credential.js';
import { validated, type Unvalidated } from '../http/validated.js';
import { CreateConnection } from './create-connection.dto.js';

const refusal = (member: string) =>
  expect.objectContaining({
    code: 'invalid_request',
    message: expect.stringMatching(`^${member}`),
  });

type Sent = Unvalidated<CreateConnection>;
const ownerOf = (owner: Sent['owner']) => validated(CreateConnection, { owner }, 'owner').owner ?? 'organization';
const labelOf = (display_name: Sent['display_name']) =>
  validated(CreateConnection, { display_name }, 'display_name').display_name ?? 'host';
const scopesOf = (scopes: Sent['scopes']) =>
  parseScopes(validated(CreateConnection, { scopes }, 'scopes').scopes ?? []);
const clientOf = (sent: Sent) => registeredClient(validated(CreateConnection, sent, 'client_id', 'client_secret'));
const credentialOf = (sent: Sent) =>
  parseStaticCredential(validated(CreateConnection, sent, 'token', 'scheme', 'header_name'));

describe('members of a connection request', () => {
  it('CP-122 an owner that is left out or blank is the organization; another word is refused', () => {
    for (const owner of [undefined, null, '', '  ', 'organization']) expect(ownerOf(owner)).toBe('organization');
    expect(ownerOf('personal')).toBe('personal');
    for (const owner of ['Personal', 'user', 'org', 5, [], {}, false]) {
      expect(() => ownerOf(owner)).toThrow(refusal('owner: '));
    }
  });

  it('CP-119 a label is trimmed, has a default, and hides nothing', () => {
    expect(labelOf(undefined)).toBe('host');
    expect(labelOf(null)).toBe('host');
    expect(labelOf('  ')).toBe('host');
    expect(labelOf(' Our tracker ✓ ')).toBe('Our tracker ✓');
    for (const name of [5, {}, 'x'.repeat(201), 'a\u202eb', 'a\u200bb', 'a\u0007', 'two\nlines']) {
      expect(() => labelOf(name)).toThrow(refusal('display_name: '));
    }
  });

  it('CP-121 scopes are tokens, each once', () => {
    expect(scopesOf(undefined)).toEqual([]);
    expect(scopesOf(null)).toEqual([]);
    expect(scopesOf(['read:x', 'write', 'read:x'])).toEqual(['read:x', 'write']);
    for (const scopes of ['read', [''], ['a b'], ['a"b'], ['a\\b'], [5], Array.from({ length: 65 }, () => 'x')]) {
      expect(() => scopesOf(scopes)).toThrow(refusal('scopes'));
    }
  });

  it('a client that was registered by hand has an id, and a secret only with it', () => {
    expect([scopesOf(undefined), clientOf({})]).toEqual([[], { clientId: null, clientSecret: null }]);
    expect(clientOf({ client_id: ' c ', client_secret: 's' })).toEqual({ clientId: 'c', clientSecret: 's' });
    expect(() => clientOf({ client_secret: 's' })).toThrow(refusal('client_secret: '));
    expect(() => clientOf({ client_id: 5 })).toThrow(refusal('client_id: '));
  });

  it('CP-121 a token travels without the blanks around it', () => {
    const { token, metadata } = credentialOf({ token: ' abc\n', scheme: null, header_name: null });
    expect(staticHeaders(metadata, token)).toEqual({ authorization: 'Bearer abc' });
  });

  it.each<[string, Sent]>([
    ['token', {}],
    ['token', { token: 5 }],
    ['token', { token: ' \t ' }],
    ['scheme', { token: 'a', scheme: 'bearer' }],
    ['scheme', { token: 'a', scheme: 7 }],
    ['header_name', { token: 'a', header_name: '' }],
    ['header_name', { token: 'a', header_name: 'x y' }],
  ])('a static credential is refused, naming %s: %j', (member, sent) => {
    expect(() => credentialOf(sent)).toThrow(refusal(`${member}: `));
  });

  it('of several faults the one of the member that was asked for first is told', () => {
    const sent = { token: 5, scheme: 7, owner: 9 };
    expect(() => validated(CreateConnection, sent, 'scheme', 'token')).toThrow(refusal('scheme: '));
    expect(() => validated(CreateConnection, sent, 'token', 'scheme')).toThrow(refusal('token: '));
    expect(validated(CreateConnection, sent, 'display_name').display_name).toBeUndefined();
  });
});
