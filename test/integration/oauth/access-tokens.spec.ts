import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessTokens } from '../../../src/core/oauth/access-tokens.js';
import { ConnectBench } from '../../support/oauth/connect-bench.js';
import { grant } from '../../support/oauth/scripted-issuer.js';
import { otherProcess } from '../../support/oauth/other-process.js';

let bench: ConnectBench;
beforeAll(async () => {
  bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787' });
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

describe('access tokens', () => {
  const expiring = { expires_in: 30 };

  it('twenty calls at once in two processes cost one token request', async () => {
    const { id } = await bench.connection();
    bench.issuer.token = () => grant(expiring);
    await bench.connect(id);
    bench.issuer.tokenCalls.length = 0;
    bench.issuer.token = async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return grant();
    };
    const other = await otherProcess(bench.api);
    const here = bench.api.app.get(AccessTokens);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? here : other.tokens).get(bench.api.organizationId, id, 1)),
    );
    expect(new Set(all).size).toBe(1);
    expect(bench.issuer.tokenCalls.map(({ parameters }) => parameters['grant_type'])).toEqual(['refresh_token']);
    await other.close();
  });

  it('a token that many calls were refused with is replaced once, in two processes', async () => {
    const { id } = await bench.connection();
    await bench.connect(id);
    bench.issuer.tokenCalls.length = 0;
    const other = await otherProcess(bench.api);
    const both = [bench.api.app.get(AccessTokens), other.tokens];
    const refused = await Promise.all(both.map((tokens) => tokens.get(bench.api.organizationId, id, 1)));
    const renewed = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const tokens = both[n % 2] as AccessTokens;
        tokens.reject(id, 1, refused[0] as string);
        return tokens.get(bench.api.organizationId, id, 1);
      }),
    );
    expect(new Set(refused).size).toBe(1);
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]).not.toBe(refused[0]);
    expect(bench.issuer.tokenCalls).toHaveLength(1);
    await other.close();
  });

  it('a rotated refresh token replaces the one before, and is the one that is sent next', async () => {
    const { id } = await bench.connection();
    bench.issuer.token = () => grant({ refresh_token: 'first', ...expiring });
    await bench.connect(id);
    bench.issuer.tokenCalls.length = 0;
    const tokens = bench.api.app.get(AccessTokens);
    bench.issuer.token = () => grant({ refresh_token: 'second', ...expiring });
    await tokens.get(bench.api.organizationId, id, 1);
    await tokens.get(bench.api.organizationId, id, 1);
    expect(bench.issuer.tokenCalls.map(({ parameters }) => parameters['refresh_token'])).toEqual(['first', 'second']);
  });

  it.each(['invalid_grant', 'invalid_client'])('%s needs a person: the connection says so', async (code) => {
    const { id } = await bench.connection();
    bench.issuer.token = () => grant(expiring);
    await bench.connect(id);
    bench.issuer.token = () => ({ status: 400, body: { error: code, error_description: 'SECRET upstream words' } });
    const tokens = bench.api.app.get(AccessTokens);
    await expect(tokens.get(bench.api.organizationId, id, 1)).rejects.toThrow(/reconnect/);
    const connection = await bench.read(id);
    expect(connection.status).toBe('error');
    expect(connection.oauth?.error).toBe(`${code} during token refresh — re-authorize this connection`);
    // Connecting anew ends it.
    bench.issuer.token = () => grant();
    expect((await bench.connect(id)).status).toBe(200);
    const again = await bench.read(id);
    expect([again.status, again.authorization_generation, again.oauth?.error]).toEqual(['active', 2, undefined]);
  });

  it('a client that its server forgot is registered anew by the next flow', async () => {
    const { id } = await bench.connection();
    bench.issuer.token = () => grant(expiring);
    await bench.connect(id);
    bench.issuer.token = () => ({ status: 401, body: { error: 'invalid_client' } });
    const tokens = bench.api.app.get(AccessTokens);
    await expect(tokens.get(bench.api.organizationId, id, 1)).rejects.toThrow(/reconnect/);
    const before = bench.issuer.registrations.length;
    bench.issuer.register = () => ({ status: 201, body: { client_id: 'registered-again' } });
    bench.issuer.token = () => grant();
    await bench.connect(id);
    expect(bench.issuer.registrations).toHaveLength(before + 1);
    expect((await bench.read(id)).oauth?.client_id).toBe('registered-again');
  });

  it('any other failure of a refresh leaves the connection active', async () => {
    const { id } = await bench.connection();
    bench.issuer.token = () => grant(expiring);
    await bench.connect(id);
    const tokens = bench.api.app.get(AccessTokens);
    for (const status of [500, 429, 302]) {
      bench.issuer.token = () => ({ status, body: { error: 'server_error' }, headers: { location: '/token' } });
      await expect(tokens.get(bench.api.organizationId, id, 1)).rejects.toMatchObject({ code: 'upstream_failed' });
    }
    bench.issuer.token = () => grant();
    await expect(tokens.get(bench.api.organizationId, id, 1)).resolves.toMatch(/^access-/);
    expect((await bench.read(id)).status).toBe('active');
  });

  it('a revoked connection has none, in any process, and leaves none behind', async () => {
    const { id } = await bench.connection();
    await bench.connect(id);
    await bench.records.revoke(bench.api.organizationId, id);
    const other = await otherProcess(bench.api);
    await expect(other.tokens.get(bench.api.organizationId, id, 1)).rejects.toThrow(/revoked/);
    const { rows } = await bench.api.database.owner.query(
      'select 1 from connector_access_tokens where connection_id = $1',
      [id],
    );
    expect(rows).toEqual([]);
    await other.close();
  });
});
