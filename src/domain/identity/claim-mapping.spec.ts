import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { mapClaims, readClaimMapping } from './claim-mapping.js';

const VERIFIED: JsonObject = { email_verified: true };
const roles = (mapping: JsonObject, claims: JsonObject): string[] =>
  mapClaims({ ...VERIFIED, ...claims }, readClaimMapping(mapping)).roles;

describe('how claims are mapped', () => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['nothing', {}, {}, ['member']],
    ['groups without a map', {}, { groups: ['staff', 'owner', 'admin'] }, ['member']],
    ['a group', { role_map: { ops: 'admin' } }, { groups: ['x', 'ops'] }, ['admin']],
    ['one group as a text', { role_map: { ops: 'admin' } }, { groups: 'ops' }, ['admin']],
    [
      'several, once each',
      { role_map: { a: 'approver', b: 'member', c: 'approver' } },
      { groups: ['a', 'b', 'c'] },
      ['member', 'approver'],
    ],
    ['the default', { role_map: { ops: 'admin' }, default_role: 'approver' }, { groups: ['x'] }, ['approver']],
    [
      'a path',
      { roles_path: 'realm_access.roles', role_map: { ops: 'admin' } },
      { realm_access: { roles: ['ops'] } },
      ['admin'],
    ],
    [
      'a claim with dots',
      { roles_path: 'https://x.example/roles', role_map: { ops: 'admin' } },
      { 'https://x.example/roles': ['ops'] },
      ['admin'],
    ],
    ['a path that leads nowhere', { roles_path: 'a.b.c', role_map: { ops: 'admin' } }, { a: { b: 'x' } }, ['member']],
    ['an owner, allowed', { role_map: { o: 'owner' }, allow_owner_mapping: true }, { groups: ['o'] }, ['owner']],
    [
      'names of the language',
      { role_map: { ops: 'admin' } },
      { groups: ['constructor', '__proto__', 'toString'] },
      ['member'],
    ],
  ])('CP-280 %s', (_, mapping, claims, expected) => expect(roles(mapping, claims)).toEqual(expected));

  it('CP-280 an address is compared in one spelling, and kept as it came', () => {
    const mapping = readClaimMapping({ email: 'mail', name: 'called' });
    const claims = { ...VERIFIED, mail: '  Ada@Example.ORG ', called: 'Ada', email: 'other' };
    expect(mapClaims(claims, mapping)).toEqual({
      email: '  Ada@Example.ORG ',
      emailNormalized: 'ada@example.org',
      emailVerified: true,
      name: 'Ada',
      roles: ['member'],
    });
    expect(mapClaims({ ...VERIFIED, mail: ' ' }, mapping)).toMatchObject({ email: null, emailNormalized: null });
  });

  it.each([undefined, false, 'true', 1, null])('CP-280 an address that is verified by %j is not', (verified) => {
    const claims = (verified === undefined ? {} : { email_verified: verified }) as JsonObject;
    expect(() => mapClaims(claims, readClaimMapping({}))).toThrow(expect.objectContaining({ claim: 'email_verified' }));
    const lenient = readClaimMapping({ require_email_verified: false });
    expect(mapClaims(claims, lenient).emailVerified).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['email', { email: null }],
    ['email', { email: ['a@example.org'] }],
    ['email', { email: 'a\u0000@example.org' }],
    ['name', { name: { first: 'Ada' } }],
    ['groups', { groups: { ops: true } }],
    ['groups', { groups: ['ops', 1] }],
    ['groups', { groups: null }],
    ['groups', { groups: 3 }],
  ])('CP-280 a claim %s of another type refuses: %j', (claim, claims) => {
    expect(() => roles({}, claims)).toThrow(expect.objectContaining({ claim }));
  });

  it.each<[string, JsonObject]>([
    ['claim_mappings.emial', { emial: 'email' }],
    ['claim_mappings.__proto__', JSON.parse('{"__proto__":"x"}') as JsonObject],
    ['claim_mappings.email', { email: 1 }],
    ['claim_mappings.email', { email: '' }],
    ['claim_mappings.name', { name: null }],
    ['claim_mappings.roles_path', { roles_path: ['groups'] }],
    ['claim_mappings.require_email_verified', { require_email_verified: 'no' }],
    ['claim_mappings.allow_owner_mapping', { allow_owner_mapping: 1 }],
    ['claim_mappings.default_role', { default_role: 'owner' }],
    ['claim_mappings.default_role', { default_role: 'root' }],
    ['claim_mappings.default_role', { default_role: null }],
    ['claim_mappings.role_map', { role_map: ['admin'] }],
    ['claim_mappings.role_map', { role_map: { ops: 'root' } }],
    ['claim_mappings.role_map', { role_map: { ops: ['admin'] } }],
    ['claim_mappings.role_map', { role_map: { ops: 'owner' } }],
    [
      'claim_mappings.role_map',
      { role_map: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`g${n}`, 'admin'])) },
    ],
  ])('CP-268 a mapping is refused for its %s', (member, mapping) => {
    expect(() => readClaimMapping(mapping)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(`${member}: `) as unknown }),
    );
  });
});
