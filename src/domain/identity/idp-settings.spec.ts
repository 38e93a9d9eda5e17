import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { checkClaimMappings, checkIdpSettings, normalizedEmail, secretProblem } from './idp-settings.js';

const SOUND = {
  issuer: 'https://idp.test/realms/acme',
  client_id: 'sandgate',
  token_endpoint_auth: 'client_secret_basic' as const,
  scopes: ['openid', 'email'],
  alg_allowlist: ['RS256'],
  claim_mappings: {},
};

describe('CP-268 settings of an identity provider', () => {
  it('are taken when they are whole', () => {
    expect(() => checkIdpSettings(SOUND)).not.toThrow();
  });

  it.each([
    [{ issuer: 'idp.test' }, /^issuer: must be an https address/],
    [{ issuer: 'ftp://idp.test' }, /^issuer/],
    [{ issuer: 'https://idp.test/?a=b' }, /^issuer: must have no query/],
    [{ issuer: 'https://idp.test/?' }, /^issuer/],
    [{ issuer: 'https://idp.test/#x' }, /^issuer/],
    [{ issuer: 'https://me:pass@idp.test' }, /^issuer/],
    [{ client_id: ' ' }, /^client_id/],
    [{ scopes: [] }, /^scopes/],
    [{ scopes: ['email'] }, /^scopes: must include openid/],
    [{ scopes: ['openid', 'a b'] }, /^scopes/],
    [{ alg_allowlist: [] }, /^alg_allowlist: must not be empty/],
    [{ alg_allowlist: ['RS256', 'HS256'] }, /^alg_allowlist: takes RS256/],
    [{ alg_allowlist: ['none'] }, /^alg_allowlist/],
    [{ alg_allowlist: ['rs256'] }, /^alg_allowlist/],
  ])('%j is refused', (change, message) => {
    expect(() => checkIdpSettings({ ...SOUND, ...change })).toThrow(message);
  });

  it.each<[JsonObject, RegExp]>([
    [{ emial: 'mail' }, /claim_mappings\.emial: is not known; did you mean email\?/],
    [{ email: 7 }, /claim_mappings\.email:/],
    [{ require_email_verified: 'no' }, /claim_mappings\.require_email_verified:/],
    [{ role_map: ['admin'] }, /claim_mappings\.role_map:/],
    [{ role_map: { staff: 'root' } }, /knows the roles member/],
    [{ role_map: { staff: 'owner' } }, /only with allow_owner_mapping/],
    [{ default_role: 'owner', allow_owner_mapping: true }, /default_role/],
  ])('claim mappings %j are refused', (mappings, message) => {
    expect(() => checkClaimMappings(mappings)).toThrow(message);
  });

  it('groups make owners where that is allowed by name', () => {
    expect(() => checkClaimMappings({ role_map: { staff: 'owner' }, allow_owner_mapping: true })).not.toThrow();
  });

  it('a secret goes with the methods that send one', () => {
    expect(secretProblem('none', true)).toMatch(/takes no secret/);
    expect(secretProblem('client_secret_post', false)).toMatch(/needs one/);
    expect(secretProblem('none', false)).toBeNull();
    expect(secretProblem('client_secret_basic', true)).toBeNull();
  });

  it('addresses are compared trimmed and in lower case', () => {
    expect(normalizedEmail('email', ' Ada@Example.TEST ')).toBe('ada@example.test');
    for (const bad of ['', 'ada', 'a@b@c', 'a b@c', '@c'])
      expect(() => normalizedEmail('email', bad)).toThrow(/^email: must be an e-mail address/);
  });
});
