import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignInBench, type ConfigColumns } from '../../support/identity/sign-in-bench.js';
import { makeKey, signToken, type Claims, type Deviation } from '../../support/identity/scripted-provider.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

/** What a case changes before the browser comes back. */
interface Case {
  deviation?: Deviation;
  arrange?: (bench: SignInBench) => void;
  columns?: ConfigColumns;
}

const now = (): number => Math.floor(Date.now() / 1000);
const claims = (more: (good: Claims) => Claims): Case => ({
  deviation: { claims: (good) => ({ ...good, ...more(good) }) },
});
const claim = (name: string, value: unknown): Case => claims(() => ({ [name]: value }));
const without = (name: string): Case => ({
  deviation: { claims: (good) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name)) },
});
const answer = (more: (good: Claims) => unknown): Case => ({ deviation: { answer: more } });
const altered = (part: 0 | 1 | 2): Case => ({
  deviation: {
    token: (token) => {
      const parts = token.split('.');
      const text = parts[part] ?? '';
      const at = Math.floor(text.length / 2);
      parts[part] = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      return parts.join('.');
    },
  },
});
const stranger = makeKey('RS256', { kid: 'key-of-a-stranger' });
const [weak, curve, unlisted] = [makeKey('RS256', { bits: 1024 }), makeKey('ES256'), makeKey('PS384')];

const CASES: Record<string, Case> = {
  'no signature': {
    deviation: {
      header: (head) => ({ ...head, alg: 'none' }),
      token: (token) => `${token.slice(0, token.lastIndexOf('.'))}.`,
    },
  },
  'alg None in another spelling': { deviation: { header: (head) => ({ ...head, alg: 'nOnE' }) } },
  'a symmetric signature with the public key': {
    deviation: { header: (head) => ({ ...head, alg: 'HS256' }) },
  },
  'a symmetric algorithm that the configuration lists': {
    deviation: { header: (head) => ({ ...head, alg: 'HS256' }) },
    columns: { alg_allowlist: ['HS256', 'none', 'RS256'] },
  },
  'an algorithm in small letters': { deviation: { header: (head) => ({ ...head, alg: 'rs256' }) } },
  'an algorithm that is not allowed': {
    deviation: { key: unlisted },
    arrange: ({ provider }) => void (provider.jwks = { keys: [unlisted.jwk] }),
  },
  'no algorithm': { deviation: { header: ({ kid }) => ({ kid }) } },
  'an algorithm that is no text': { deviation: { header: (head) => ({ ...head, alg: ['RS256'] }) } },
  'a critical header': { deviation: { header: (head) => ({ ...head, crit: ['x'], x: 1 }) } },
  'a key of somebody else': { deviation: { key: stranger } },
  'a key of somebody else under a known id': {
    deviation: { key: stranger, header: (head) => ({ ...head, kid: 'key-1' }) },
    arrange: ({ provider }) => void (provider.jwks = { keys: [{ ...provider.keys[0]?.jwk, kid: 'key-1' }] }),
  },
  'a key that the token brings itself': {
    deviation: { key: stranger, header: (head) => ({ ...head, jwk: stranger.jwk }) },
  },
  'an address of keys that the token brings itself': {
    deviation: { key: stranger, header: (head) => ({ ...head, jku: 'http://127.0.0.1:1/jwks' }) },
  },
  'a key id that is no text': { deviation: { header: (head) => ({ ...head, kid: 1 }) } },
  'a key of another family': { deviation: { key: curve, header: (head) => ({ ...head, alg: 'RS256' }) } },
  'a key for encryption': {
    arrange: ({ provider }) => void (provider.jwks = { keys: [{ ...provider.keys[0]?.jwk, use: 'enc' }, curve.jwk] }),
  },
  'a key that may not verify': {
    arrange: ({ provider }) =>
      void (provider.jwks = { keys: [{ ...provider.keys[0]?.jwk, key_ops: ['encrypt'] }, curve.jwk] }),
  },
  'a key of another algorithm': {
    arrange: ({ provider }) => void (provider.jwks = { keys: [{ ...provider.keys[0]?.jwk, alg: 'RS512' }] }),
  },
  'a key of too few bits': {
    deviation: { key: weak },
    arrange: ({ provider }) => void (provider.jwks = { keys: [weak.jwk] }),
  },
  'two keys with the id': {
    arrange: ({ provider }) =>
      void (provider.jwks = { keys: [provider.keys[0]?.jwk, { ...stranger.jwk, kid: provider.keys[0]?.kid }] }),
  },
  'no key id, and two keys that fit': {
    deviation: { header: ({ alg }) => ({ alg }) },
    arrange: ({ provider }) => void (provider.jwks = { keys: [provider.keys[0]?.jwk, stranger.jwk] }),
  },
  'a changed head': altered(0),
  'changed claims': altered(1),
  'a changed signature': altered(2),
  'no token text': { deviation: { token: () => 'not.a.token' } },
  'two parts': { deviation: { token: (token) => token.split('.').slice(0, 2).join('.') } },
  'claims that are a list': { deviation: { claims: () => [1] as unknown as Claims } },
  'another issuer': claim('iss', 'https://issuer.example'),
  'the issuer with a slash': claims(({ iss }) => ({ iss: `${String(iss)}/` })),
  'no issuer': without('iss'),
  'another audience': claim('aud', 'another-client'),
  'no audience': without('aud'),
  'an audience that is no text': claims(({ aud }) => ({ aud: [aud, 1] })),
  'several audiences without azp': claims(({ aud }) => ({ aud: [aud, 'another-client'] })),
  'azp of another client': claim('azp', 'another-client'),
  'azp null': claim('azp', null),
  'a token that is over': claims(() => ({ exp: now() - 61, iat: now() - 62 })),
  'an end that is no whole number': claims(() => ({ exp: now() + 300.5 })),
  'an end as a text': claims(() => ({ exp: String(now() + 300) })),
  'no end': without('exp'),
  'a token that is not yet good': claims(() => ({ nbf: now() + 120 })),
  'nbf null': claim('nbf', null),
  'a token of before the login': claims(() => ({ iat: now() - 120 })),
  'a token of the future': claims(() => ({ iat: now() + 120 })),
  'no time of making': without('iat'),
  'another nonce': claim('nonce', 'another-nonce'),
  'no nonce': without('nonce'),
  'no subject': without('sub'),
  'an empty subject': claim('sub', ''),
  'a subject of 256 bytes': claim('sub', 'x'.repeat(256)),
  'a subject that is a number': claim('sub', 7),
  'a subject that cannot be stored': claim('sub', 'a\u0000'),
  'at_hash of another access token': claim(
    'at_hash',
    hash('sha256', 'another', 'buffer').subarray(0, 16).toString('base64url'),
  ),
  'at_hash null': claim('at_hash', null),
  'auth_time as a text': claim('auth_time', '1'),
  'acr that is a number': claim('acr', 2),
  'amr that is a text': claim('amr', 'pwd'),
  'amr that holds a number': claim('amr', ['pwd', 1]),
  'no ID token': answer(({ access_token, token_type }) => ({ access_token, token_type })),
  'an ID token that is no text': answer((good) => ({ ...good, id_token: { a: 1 } })),
  'no access token': answer(({ id_token, token_type }) => ({ id_token, token_type })),
  'an access token that is null': answer((good) => ({ ...good, access_token: null })),
  'no token type': answer(({ token_type: _, ...rest }) => rest),
  'an error': { deviation: { status: 400, answer: () => ({ error: 'invalid_grant', error_description: 'X' }) } },
  'an error of the server': { deviation: { status: 500, answer: () => 'oops' } },
  'a redirect': { deviation: { status: 302, headers: { location: '/elsewhere' } } },
  'an answer that is no JSON': { deviation: { answer: () => '<html>' } },
  'an answer of 300 KiB': answer((good) => ({ ...good, padding: 'x'.repeat(307_200) })),
  'an answer that breaks off': { arrange: ({ provider }) => void provider.broken.set('/token', null) },
  'an address that is not verified': claim('email_verified', false),
  'an address that is verified by a text': claim('email_verified', 'true'),
  'an address that is a number': claim('email', 1),
  'groups that are an object': claim('groups', { admin: true }),
  'a token that was made for another login': {
    deviation: {
      token: () => signToken({ alg: 'RS256', kid: 'x' }, { iss: 'x' }, stranger),
    },
  },
};

/** Refusals that have words of their own. */
const SAYS: Record<string, RegExp> = {
  'an address that is not verified': /does not say that your e-mail address is verified/,
  'a redirect': /did not confirm the sign-in/,
  'changed claims': /did not confirm|does not prove who you are/,
  'a changed signature': /does not prove who you are/,
  'groups that are an object': /cannot be read/,
};

describe('tokens that prove nothing', () => {
  it(`proof 13: there are at least 50 of them`, () => expect(Object.keys(CASES).length).toBeGreaterThanOrEqual(50));

  it.each(Object.entries(CASES))('proof 13 CP-280: %s', async (name, { deviation, arrange, columns }) => {
    const organization = await bench.addOrganization(columns);
    const visitor = bench.visitor();
    const before = (await bench.rows('select 1 from user_sessions')).length;
    const location = await visitor.start(organization.slug);
    const [cookie] = [...visitor.cookies.keys()];
    arrange?.(bench);
    if (deviation !== undefined) bench.provider.deviation = deviation;
    // What was kept at the start is not what counts here.
    await bench.configure({ discovered_metadata: null, jwks: null, discovered_at: null }, organization.configId);
    const callback = bench.provider.authorize(location);
    const answer = await visitor.get(callback);
    const page = await answer.text();
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(page).toContain('<h1>Sign-in failed</h1>');
    expect(page).toMatch(SAYS[name] ?? /./);
    expect(visitor.session).toBeUndefined();
    // The login is spent: its cookie goes, and the same callback is of no use afterwards.
    expect(answer.headers.getSetCookie()).toEqual([
      `${cookie}=deleted; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0`,
    ]);
    expect(await bench.rows('select 1 from user_sessions')).toHaveLength(before);
    expect(await bench.rows('select 1 from users where tenant_id = $1', [organization.id])).toEqual([]);
  });

  it('proof 13: each of them is good without its fault', async () => {
    const answer = await bench.signIn(bench.visitor(), (await bench.addOrganization()).slug);
    expect(answer.status).toBe(302);
  });
});

describe('tokens that are good', () => {
  it.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'])(
    'CP-280 signed by %s',
    async (alg) => {
      const key = makeKey(alg);
      bench.provider.jwks = { keys: [stranger.jwk, { kty: 'RSA', kid: 'broken' }, key.jwk] };
      const accessToken = 'access';
      const digest = hash(`sha${alg.slice(2)}`, accessToken, 'buffer');
      bench.provider.deviation = {
        key,
        accessToken,
        claims: (good) => ({ ...good, at_hash: digest.subarray(0, digest.length / 2).toString('base64url') }),
      };
      const { slug } = await bench.addOrganization({ alg_allowlist: [alg] });
      expect((await bench.signIn(bench.visitor(), slug)).status).toBe(302);
    },
  );

  it('CP-280 several audiences with azp, the only key without an id, clocks that differ by less than a minute', async () => {
    const key = makeKey('RS256', { kid: null });
    bench.provider.jwks = { keys: [key.jwk] };
    bench.provider.deviation = {
      key,
      claims: (good) => ({
        ...good,
        aud: [good['aud'], 'another'],
        azp: good['aud'],
        iat: now() + 50,
        nbf: now() + 50,
      }),
    };
    expect((await bench.signIn(bench.visitor(), (await bench.addOrganization()).slug)).status).toBe(302);
  });
});

describe('the exchange', () => {
  it.each([
    ['client_secret_basic', 'Basic c2FuZGdhdGUtdGVzdC5jbGllbnQ6YStzZWNyZXQlMkZ3aXRoKyUyQitzaWducw==', undefined],
    ['client_secret_post', undefined, 'a secret/with + signs'],
    ['none', undefined, undefined],
  ])('CP-280 proves the client by %s', async (method, authorization, secret) => {
    const columns = method === 'none' ? { client_secret_sealed: null } : {};
    const { slug } = await bench.addOrganization({ token_endpoint_auth: method, ...columns });
    expect((await bench.signIn(bench.visitor(), slug)).status).toBe(302);
    const [request] = bench.provider.tokenRequests;
    expect(request?.authorization).toBe(authorization);
    expect(request?.parameters).toEqual({
      grant_type: 'authorization_code',
      code: expect.stringMatching(/^code-/) as unknown,
      redirect_uri: 'http://127.0.0.1:8787/v1/auth/callback',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      client_id: 'sandgate-test.client',
      ...(secret === undefined ? {} : { client_secret: secret }),
    });
  });
});
