import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkProvider, type ProviderSettings } from '../../../src/core/identity/provider-check.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import type { GuardedRequest, GuardedResponse } from '../../../src/platform/egress/guarded-request.js';
import { OidcHttp } from '../../../src/platform/oidc/oidc-http.js';
import { readProvider } from '../../../src/platform/oidc/provider.js';
import { ScriptedProvider } from '../../support/identity/scripted-provider.js';

const egress = new Egress({ allowCidrs: [], proxy: null });
const http = new OidcHttp(egress.operator);
let provider: ScriptedProvider;
let metadata: Record<string, unknown>;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  ({ metadata } = provider);
});
beforeEach(() => {
  provider.reset();
  provider.metadata = metadata;
});
afterAll(async () => {
  await provider.close();
  await egress.close();
});

const settings = (more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  issuer: provider.url,
  clientId: 'client',
  clientSecret: 'secret',
  tokenEndpointAuth: 'client_secret_basic',
  scopes: ['openid', 'email', 'profile'],
  claimMappings: {},
  algAllowlist: ['RS256'],
  ...more,
});
const publish = (more: Record<string, unknown>): void => {
  provider.metadata = JSON.parse(JSON.stringify({ ...metadata, ...more })) as Record<string, unknown>;
};

describe('a provider before it is stored', () => {
  it('CP-268 is read: what it publishes is what is kept', async () => {
    const { metadata: read, jwks } = await checkProvider(http, settings());
    expect(read).toMatchObject({ issuer: provider.url, token_endpoint: `${provider.url}/token` });
    expect(jwks).toEqual({ keys: [provider.keys[0]?.jwk] });
    const open = settings({ tokenEndpointAuth: 'none', clientSecret: null });
    expect((await checkProvider(http, open)).metadata).toEqual(read);
  });

  it('CP-268 may leave lists out, and has HTTP Basic alone then', async () => {
    publish({
      response_types_supported: undefined,
      code_challenge_methods_supported: undefined,
      token_endpoint_auth_methods_supported: undefined,
    });
    await checkProvider(http, settings());
    const post = checkProvider(http, settings({ tokenEndpointAuth: 'client_secret_post' }));
    await expect(post).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('client_secret_post') as unknown,
    });
  });

  it.each<[string, Partial<ProviderSettings>]>([
    ['issuer', { issuer: 'issuer' }],
    ['issuer', { issuer: 'http://issuer.example' }],
    ['issuer', { issuer: 'ftp://issuer.example' }],
    ['issuer', { issuer: 'https://a:b@issuer.example' }],
    ['issuer', { issuer: 'https://issuer.example/?a=1' }],
    ['issuer', { issuer: 'https://issuer.example/#a' }],
    ['issuer', { issuer: 'https://ISSUER.example' }],
    ['issuer', { issuer: 'https://issuer.example/.well-known/openid-configuration' }],
    ['issuer', { issuer: 'http://127.0.0.1:1' }],
    ['client_id', { clientId: '' }],
    ['client_secret', { clientSecret: null }],
    ['client_secret', { clientSecret: '' }],
    ['client_secret', { tokenEndpointAuth: 'none' }],
    ['token_endpoint_auth', { tokenEndpointAuth: 'private_key_jwt' as 'none' }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['email'] }],
    ['scopes', { scopes: ['openid', 'two words'] }],
    ['alg_allowlist', { algAllowlist: [] }],
    ['alg_allowlist', { algAllowlist: ['RS256', 'HS256'] }],
    ['alg_allowlist', { algAllowlist: ['none'] }],
    ['alg_allowlist', { algAllowlist: ['rs256'] }],
    ['claim_mappings.role_map', { claimMappings: { role_map: { a: 'owner' } } }],
    ['claim_mappings.x', { claimMappings: { x: 'y' } }],
  ])('CP-268 is refused for its %s: %j', async (member, more) => {
    await expect(checkProvider(http, settings(more))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`${member}: `) as unknown,
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['response_types_supported', { response_types_supported: ['id_token'] }],
    ['response_types_supported', { response_types_supported: 'code' }],
    ['response_types_supported', { response_types_supported: ['code', 1] }],
    ['code_challenge_methods_supported', { code_challenge_methods_supported: ['plain'] }],
    ['code_challenge_methods_supported', { code_challenge_methods_supported: null }],
    ['token_endpoint_auth_methods_supported', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
    ['token_endpoint_auth_methods_supported', { token_endpoint_auth_methods_supported: {} }],
    ['token_endpoint', { token_endpoint: 'http://issuer.example/token' }],
    ['jwks_uri', { jwks_uri: 7 }],
    ['authorization_endpoint', { authorization_endpoint: undefined }],
    ['issuer', { issuer: 'https://issuer.example' }],
  ])('CP-268 is refused for what it publishes: %s, %j', async (member, published) => {
    publish(published);
    await expect(checkProvider(http, settings())).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(new RegExp(`^issuer: .*(${member}|issuer)`)) as unknown,
    });
  });

  it('CP-268 is refused without a key that can be used', async () => {
    provider.jwks = { keys: [] };
    await expect(checkProvider(http, settings())).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a provider elsewhere', () => {
  const issuer = 'https://issuer.example';
  const published = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  };

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'CP-280 does not point with its %s to what listens on this machine',
    (member) => {
      expect(readProvider(published, issuer)).toMatchObject({ jwksUri: `${issuer}/jwks` });
      expect(() => readProvider({ ...published, [member]: 'http://127.0.0.1:8233/x' }, issuer)).toThrow(member);
    },
  );

  it('CP-280 does not redirect there, and people are not sent there to sign out', async () => {
    const asked: GuardedRequest[] = [];
    const body = { readBody: () => Promise.resolve(Buffer.from('{}')) };
    const client = {
      request: (request: GuardedRequest) => {
        asked.push(request);
        return Promise.resolve({ status: 200, headers: new Headers(), ...body } as unknown as GuardedResponse);
      },
    };
    const admits = async (from: string, to: string): Promise<boolean | undefined> => {
      await new OidcHttp(client).read(from);
      return asked.at(-1)?.admits?.(new URL(to));
    };
    expect(await admits(`${issuer}/jwks`, 'https://keys.example/jwks')).toBe(true);
    expect(await admits(`${issuer}/jwks`, 'http://127.0.0.1:8233/x')).toBe(false);
    expect(await admits('http://127.0.0.1:8080/jwks', 'http://127.0.0.1:8081/jwks')).toBe(true);
    const out = readProvider({ ...published, end_session_endpoint: 'http://localhost/out' }, issuer);
    expect(out.endSessionEndpoint).toBeNull();
  });
});
