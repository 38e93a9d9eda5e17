import { describe, expect, it } from '@jest/globals';
import { signAddress, verifyAddress, type AddressGrant } from './signed-address.js';

const salt = Buffer.alloc(32, 1);
const grant: AddressGrant = {
  method: 'PUT',
  orgId: '01900000-0000-7000-8000-000000000001',
  subjectId: '01900000-0000-7000-8000-000000000002',
  partNumber: 7,
  expiresAtSecs: 2_000,
};

describe('signed addresses', () => {
  const signature = signAddress(salt, grant);

  it('DI-006 allow what was signed until they expire', () => {
    expect(verifyAddress(salt, grant, signature, 1_999)).toBe('valid');
    expect(verifyAddress(salt, grant, signature, 2_000)).toBe('expired');
  });

  it.each<[string, Partial<AddressGrant>]>([
    ['method', { method: 'GET' }],
    ['organization', { orgId: '01900000-0000-7000-8000-000000000003' }],
    ['session', { subjectId: '01900000-0000-7000-8000-000000000003' }],
    ['part', { partNumber: 8 }],
    ['lack of a part', { partNumber: null }],
    ['expiry', { expiresAtSecs: 3_000 }],
  ])('DI-006 allow no other %s', (_what, change) => {
    expect(verifyAddress(salt, { ...grant, ...change }, signature, 1_000)).toBe('forged');
  });

  it('are worth nothing under the salt of another organization, nor when cut or empty', () => {
    expect(verifyAddress(Buffer.alloc(32, 2), grant, signature, 1_000)).toBe('forged');
    expect(verifyAddress(salt, grant, signature.slice(0, 40), 1_000)).toBe('forged');
    expect(verifyAddress(salt, grant, '', 1_000)).toBe('forged');
  });
});
