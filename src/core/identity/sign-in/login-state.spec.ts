import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Sealer } from '../../../platform/seal/sealer.js';
import { openState, sealState, type LoginState } from './login-state.js';

const DEPLOYMENT = '01900000-0000-7000-8000-000000000000';
/** Under the legacy key the seal itself does not tell purposes apart. */
const legacy = new Sealer(null, randomBytes(32));

const state = (lifeMs = 60_000): LoginState => ({
  flowId: '01900000-0000-7000-8000-000000000001',
  organizationId: '01900000-0000-7000-8000-000000000002',
  configId: '01900000-0000-7000-8000-000000000003',
  expiresAtMs: Date.now() + lifeMs,
});
const sealedAs = async (says: object): Promise<string> =>
  (await legacy.sealTransit(DEPLOYMENT, 'oauth-boot', JSON.stringify(says))).toString('base64url');

describe('the state of a login', () => {
  it('CP-281 opens until its end, unaltered, for whoever has the key', async () => {
    const sealed = state();
    const token = await sealState(legacy, DEPLOYMENT, sealed);
    expect(await openState(legacy, DEPLOYMENT, token)).toEqual(sealed);
    for (const altered of ['', `${token}=`, token.slice(1), token.repeat(20), `${token.slice(0, -2)}AA`])
      expect(await openState(legacy, DEPLOYMENT, altered)).toBeNull();
    expect(await openState(new Sealer(null, randomBytes(32)), DEPLOYMENT, token)).toBeNull();
    expect(await openState(legacy, DEPLOYMENT, await sealState(legacy, DEPLOYMENT, state(-1)))).toBeNull();
  });

  it('CP-281 is none of another purpose or version, also under the legacy key', async () => {
    const { flowId: f, organizationId: o, configId: c, expiresAtMs: x } = state();
    for (const says of [
      { f, o, c, x },
      { p: 'oauth-boot', v: 1, f, o, c, x },
      { p: 'login', v: 2, f, o, c, x },
    ])
      expect(await openState(legacy, DEPLOYMENT, await sealedAs(says))).toBeNull();
    expect(await openState(legacy, DEPLOYMENT, await sealedAs({ p: 'login', v: 1, f, o, c, x }))).not.toBeNull();
  });
});
