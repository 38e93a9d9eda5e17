import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey, type SigningKey } from '../../support/identity/scripted-provider.js';
import { SignInBench, type SignInOrganization, type SignInVisitor } from '../../support/identity/sign-in-bench.js';

const DISCOVERY = '/.well-known/openid-configuration';

let bench: SignInBench;
let organization: SignInOrganization;
let first: SigningKey;
beforeAll(async () => {
  bench = await SignInBench.start();
  [first = makeKey()] = bench.provider.keys;
});
beforeEach(async () => {
  bench.provider.reset();
  bench.provider.keys = [first];
  organization = await bench.addOrganization();
});
afterAll(() => bench.close());

const asked = (): { discovery: number; keys: number } => ({
  discovery: bench.provider.countOf(DISCOVERY),
  keys: bench.provider.countOf('/jwks'),
});
/** Whether a login begins. */
const begins = async (visitor = bench.visitor()): Promise<boolean> =>
  (await visitor.get(`/v1/auth/login/${organization.slug}/start`)).status === 302;
const age = (secs: number): Promise<unknown> =>
  bench.rows(`update org_idp_configs set discovered_at = now() - make_interval(secs => $2) where id = $1`, [
    organization.configId,
    secs,
  ]);
const callbackOf = async (visitor: SignInVisitor): Promise<string> =>
  bench.provider.authorize(await visitor.start(organization.slug));

describe('what a provider publishes', () => {
  it('CP-280 is read once and kept with the configuration, for all processes, as long as it is fresh', async () => {
    for (let n = 0; n < 3; n += 1) expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(302);
    expect(asked()).toEqual({ discovery: 1, keys: 1 });
    await age(3590);
    expect(await begins()).toBe(true);
    expect(asked()).toEqual({ discovery: 1, keys: 1 });
    await age(3601);
    expect(await begins()).toBe(true);
    expect(asked()).toEqual({ discovery: 2, keys: 2 });
  });

  it.each<[string, () => void]>([
    ['drops the connection', () => void bench.provider.broken.set(DISCOVERY, null)],
    ['answers 500', () => void bench.provider.broken.set(DISCOVERY, { status: 500 })],
    ['has lost its keys', () => void bench.provider.broken.set('/jwks', { status: 404 })],
    [
      'names another issuer',
      () => void bench.provider.broken.set(DISCOVERY, { status: 200, body: '{"issuer":"https://x.example"}' }),
    ],
    [
      'answers 300 KiB',
      () =>
        void bench.provider.broken.set(DISCOVERY, {
          status: 200,
          body: JSON.stringify({ ...bench.provider.metadata, x: 'x'.repeat(307_200) }),
        }),
    ],
  ])('CP-280 serves a day longer while the provider %s, then nobody signs in', async (_, ruin) => {
    expect(await begins()).toBe(true);
    ruin();
    await age(3600 + 86_390);
    expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(302);
    await age(3600 + 86_401);
    expect(await begins()).toBe(false);
    bench.provider.broken.clear();
    expect(await begins()).toBe(true);
  });

  it('CP-280 is read once for twenty who come at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => begins()));
    expect([answers.every(Boolean), asked()]).toEqual([true, { discovery: 1, keys: 1 }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no token endpoint', { token_endpoint: undefined }],
    ['no authorization endpoint', { authorization_endpoint: undefined }],
    ['no address of keys', { jwks_uri: undefined }],
    ['a token endpoint over plain http', { token_endpoint: 'http://issuer.example/token' }],
    ['keys at an address with a password', { jwks_uri: 'https://a:b@issuer.example/jwks' }],
    ['a script as authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
  ])('CP-280 is of no use with %s', async (_, members) => {
    const { metadata } = bench.provider;
    bench.provider.metadata = { ...metadata, ...members };
    try {
      expect(await begins()).toBe(false);
    } finally {
      bench.provider.metadata = metadata;
    }
  });

  it.each<[string, unknown]>([
    ['no keys', { keys: [] }],
    ['33 keys', { keys: Array.from({ length: 33 }, () => makeKeyJwk()) }],
    [
      'broken keys only',
      {
        keys: [
          { kty: 'RSA', n: '%', e: 'AQAB' },
          { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' },
        ],
      },
    ],
    ['no list of keys', { keys: { a: 1 } }],
    ['no object', 'keys'],
  ])('CP-280 is of no use with %s', async (_, jwks) => {
    bench.provider.jwks = jwks;
    expect(await begins()).toBe(false);
  });

  it('is read through ten redirects and not eleven, and never over plain http from elsewhere', async () => {
    const through = (hops: number): void => {
      bench.provider.broken.set(DISCOVERY, { status: 302, headers: { location: '/hop-1' } });
      for (let n = 1; n < hops; n += 1)
        bench.provider.broken.set(`/hop-${n}`, { status: 302, headers: { location: `/hop-${n + 1}` } });
      bench.provider.broken.set(`/hop-${hops}`, { status: 200, body: JSON.stringify(bench.provider.metadata) });
    };
    through(11);
    expect(await begins()).toBe(false);
    bench.provider.broken.clear();
    through(10);
    expect(await begins()).toBe(true);
    await age(100_000_000);
    bench.provider.broken.set('/hop-10', { status: 302, headers: { location: 'http://issuer.example/' } });
    expect(await begins()).toBe(false);
  });
});

describe('keys that change', () => {
  it('CP-280 a new key is found by asking once more; the age of the metadata stays', async () => {
    expect(await begins()).toBe(true);
    await age(1000);
    const visitor = bench.visitor();
    const callback = await callbackOf(visitor);
    bench.provider.keys = [makeKey('ES256'), first];
    expect((await visitor.get(callback)).status).toBe(302);
    expect(asked()).toEqual({ discovery: 1, keys: 2 });
    const [row] = await bench.rows<{ age: number }>(
      'select extract(epoch from now() - discovered_at)::int as age from org_idp_configs where id = $1',
      [organization.configId],
    );
    expect(row?.age).toBeGreaterThanOrEqual(1000);
    expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(302);
    expect(asked()).toEqual({ discovery: 1, keys: 2 });
  });

  it('CP-280 an exchanged key under the same id is found too', async () => {
    expect(await begins()).toBe(true);
    bench.provider.keys = [makeKey('RS256', { kid: first.kid ?? '' })];
    expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(302);
    expect(asked()).toEqual({ discovery: 1, keys: 2 });
  });

  it('CP-280 a key that the provider does not know is not asked for again for two minutes; a bad signature always is', async () => {
    const stranger = makeKey('RS256');
    bench.provider.deviation = { key: stranger };
    for (let n = 0; n < 3; n += 1) expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(400);
    expect(asked()).toEqual({ discovery: 1, keys: 2 });
    bench.provider.deviation = { key: stranger, header: (head) => ({ ...head, kid: first.kid }) };
    for (let n = 0; n < 3; n += 1) expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(400);
    expect(asked()).toEqual({ discovery: 1, keys: 5 });
    bench.provider.deviation = {};
    expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(302);
  });

  it('CP-280 twenty logins that meet a new key at once ask once', async () => {
    const logins = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const visitor = bench.visitor();
        return { visitor, callback: await callbackOf(visitor) };
      }),
    );
    const before = asked().keys;
    bench.provider.keys = [makeKey('RS256')];
    // All have exchanged their code before one of them is answered.
    const all = Promise.withResolvers<void>();
    let waiting = 0;
    bench.provider.deviation = {
      before: () => {
        waiting += 1;
        if (waiting === logins.length) all.resolve();
        return all.promise;
      },
    };
    const answers = await Promise.all(logins.map(({ visitor, callback }) => visitor.get(callback)));
    expect(answers.map(({ status }) => status)).toEqual(logins.map(() => 302));
    expect(asked().keys - before).toBeLessThanOrEqual(3);
  });

  it('CP-280 a token without a key id is found by a key that fits, after asking once more', async () => {
    expect(await begins()).toBe(true);
    bench.provider.keys = [makeKey('ES384', { kid: null })];
    expect((await bench.signIn(bench.visitor(), organization.slug)).status).toBe(302);
  });
});

function makeKeyJwk(): Record<string, unknown> {
  return makeKey('ES256').jwk;
}
