import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Sealer, type SealedPlace } from './sealer.js';

const sealer = new Sealer(randomBytes(32));
const PLACE: SealedPlace = { orgId: 'org-1', column: 'webhooks.sealed_secret', row: 'row-1' };

describe('a sealed value', () => {
  it('opens in its place, and never rests in clear', () => {
    const sealed = sealer.seal(PLACE, 'whsec_of-a-receiver');
    expect(sealed.includes('whsec')).toBe(false);
    expect(sealer.open(PLACE, sealed).toString()).toBe('whsec_of-a-receiver');
    expect(sealer.seal(PLACE, 'whsec_of-a-receiver')).not.toEqual(sealed);
  });

  it.each([
    ['another organization', { orgId: 'org-2' }],
    ['another column', { column: 'webhooks.sealed_previous_secret' }],
    ['another row', { row: 'row-2' }],
  ])('opens nowhere in %s', (_, other) => {
    const sealed = sealer.seal(PLACE, 'secret');
    expect(() => sealer.open({ ...PLACE, ...other }, sealed)).toThrow(/cannot be opened/);
  });

  it('does not open with another key, nor when a bit of it changed', () => {
    const sealed = sealer.seal(PLACE, 'secret');
    expect(() => new Sealer(randomBytes(32)).open(PLACE, sealed)).toThrow(/DOCSVC_SEAL_KEY/);
    for (const at of [0, 1, sealed.length - 1]) {
      const altered = Buffer.from(sealed);
      altered[at] = altered[at]! ^ 1;
      expect(() => sealer.open(PLACE, altered)).toThrow(/sealed value/);
    }
  });

  it('needs a key: without one it is told which setting is missing', () => {
    const without = new Sealer(null);
    expect(() => without.seal(PLACE, 'secret')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    expect(() => without.require()).toThrow(/DOCSVC_SEAL_KEY/);
  });
});
