import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import { makeFirstOrganization, newCredentials } from '../../../src/core/access/make-organization.js';
import { deleteSpentRequests } from '../../../src/core/maintenance/expire-requests.js';
import { SCOPES } from '../../../src/domain/access/scopes.js';
import { startApi, tokenFor, type Answer, type TestApi, type TestOrganization } from '../../support/api/api.js';

let api: TestApi;
let acme: TestOrganization;
beforeAll(async () => {
  api = await startApi();
  acme = await api.organization();
});
afterAll(() => api.close());

type Fields = { [name: string]: string };

function ask(fields: Fields, headers: Fields = {}): Promise<Answer> {
  return api.ask('/oauth/token', { method: 'POST', body: new URLSearchParams(fields), headers });
}

const credentials = (): Fields => ({ client_id: acme.clientId, client_secret: acme.clientSecret });
const basic = (id: string, secret: string): Fields => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

describe('POST /oauth/token', () => {
  it('DI-036 DI-038 DI-055 exchanges a form of grant_type, client_id and client_secret for a token that opens the interface', async () => {
    const answer = await ask({ grant_type: 'client_credentials', ...credentials() });
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600 } });
    expect(answer.body['access_token']).toMatch(/^docsvc_at_[\w-]{43}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const projects = await api.ask('/api/projects', { token: String(answer.body['access_token']) });
    expect(projects).toMatchObject({ status: 200, body: { data: [], nextCursor: null } });
  });

  it('DI-055 a foreign client library gets tokens by form and by HTTP Basic, and one for fewer scopes', async () => {
    const server = { issuer: api.origin, token_endpoint: `${api.origin}/oauth/token` };
    for (const method of [client.ClientSecretPost, client.ClientSecretBasic]) {
      const config = new client.Configuration(server, acme.clientId, {}, method(acme.clientSecret));
      client.allowInsecureRequests(config);
      const wide = await client.clientCredentialsGrant(config);
      expect(wide.scope).toContain('clients:manage');
      const narrow = await client.clientCredentialsGrant(config, { scope: 'search:read documents:read' });
      expect(narrow).toMatchObject({ scope: 'documents:read search:read', expires_in: 3600 });
      const refused = await api.ask('/api/workspaces', { token: narrow.access_token });
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
      await expect(client.clientCredentialsGrant(config, { scope: 'all:things' })).rejects.toMatchObject({
        error: 'invalid_scope',
      });
    }
  });

  it('refuses in the form of OAuth, and says what a later release brings', async () => {
    const grant = { grant_type: 'client_credentials' };
    const cases: [Fields, Fields, number, string, RegExp][] = [
      [{}, {}, 400, 'invalid_request', /grant_type/],
      [{ grant_type: 'password', ...credentials() }, {}, 400, 'unsupported_grant_type', /client_credentials/],
      [{ grant_type: 'refresh_token', refresh_token: 'x' }, {}, 400, 'unsupported_grant_type', /later release/],
      [
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
        {},
        400,
        'unsupported_grant_type',
        /later release/,
      ],
      [grant, {}, 401, 'invalid_client', /client_id and client_secret/],
      [{ ...grant, ...credentials(), client_secret: 'docsvc_cs_wrong' }, {}, 401, 'invalid_client', /wrong/],
      [{ ...grant, client_id: 'nobody', client_secret: 'x' }, {}, 401, 'invalid_client', /unknown/],
      [{ ...grant, ...credentials() }, basic(acme.clientId, acme.clientSecret), 400, 'invalid_request', /not both/],
      [{ ...grant }, { authorization: 'Basic !!' }, 401, 'invalid_client', /Basic/],
    ];
    for (const [fields, headers, status, error, description] of cases) {
      const answer = await ask(fields, headers);
      expect({ fields, status: answer.status, body: answer.body }).toEqual({
        fields,
        status,
        body: { error, error_description: expect.stringMatching(description) },
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Basic realm="docsvc"' : null);
    }
    const twice = await api.ask('/oauth/token', {
      method: 'POST',
      body: 'grant_type=client_credentials&grant_type=client_credentials',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const json = await api.ask('/oauth/token', { method: 'POST', body: { grant_type: 'client_credentials' } });
    expect(json).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('slows whoever shows wrong secrets, from that address and for that client alone', async () => {
    const victim = await acme.client(['search:read']);
    const wrong = { grant_type: 'client_credentials', client_id: victim.clientId, client_secret: 'docsvc_cs_wrong' };
    for (let tries = 0; tries < 10; tries += 1) expect((await ask(wrong)).status).toBe(401);
    const slowed = await ask({ ...wrong, client_secret: victim.clientSecret });
    expect(slowed).toMatchObject({ status: 429, body: { error: 'slow_down' } });
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask({ grant_type: 'client_credentials', ...credentials() })).status).toBe(200);
  });

  it('wrong secrets count in all processes together, and by the address that a trusted proxy tells', async () => {
    const victim = await acme.client(['search:read']);
    const wrong = { grant_type: 'client_credentials', client_id: victim.clientId, client_secret: 'docsvc_cs_wrong' };
    const right = { ...wrong, client_secret: victim.clientSecret };
    const second = await startApi({ DOCSVC_TRUSTED_PROXIES: '127.0.0.0/8' }, api.database);
    try {
      const proxied = (fields: Fields, from?: string): Promise<Answer> => {
        // What stands further left a caller may have made up.
        const told = from === undefined ? {} : { 'x-forwarded-for': `203.0.113.${from.length}, ${from}, 127.0.0.2` };
        return second.ask('/oauth/token', { method: 'POST', body: new URLSearchParams(fields), headers: told });
      };
      for (let tries = 0; tries < 5; tries += 1) {
        expect((await ask(wrong, { 'x-forwarded-for': `198.51.100.${tries}` })).status).toBe(401);
        expect((await proxied(wrong)).status).toBe(401);
      }
      expect((await ask(right, { 'x-forwarded-for': '198.51.100.7' })).status).toBe(429);
      expect((await proxied(right)).status).toBe(429);
      expect((await proxied(right, '198.51.100.7')).status).toBe(200);
      for (let tries = 0; tries < 10; tries += 1) await proxied(wrong, `2001:db8:1:2::${tries}`);
      expect((await proxied(right, '2001:db8:1:2:ffff::1')).status).toBe(429);
      expect((await proxied(right, '2001:db8:1:3::1')).status).toBe(200);
    } finally {
      await second.close();
    }
  });

  it('wrong secrets are forgotten after their minute', async () => {
    const victim = await acme.client(['search:read']);
    const wrong = { grant_type: 'client_credentials', client_id: victim.clientId, client_secret: 'docsvc_cs_wrong' };
    for (let tries = 0; tries < 11; tries += 1) await ask(wrong);
    expect((await ask(wrong)).status).toBe(429);
    await api.database.owner.query('update secret_throttles set ends_at = clock_timestamp()');
    expect((await ask(wrong)).status).toBe(401);
    await api.database.owner.query('update secret_throttles set ends_at = clock_timestamp()');
    await deleteSpentRequests(api.database.record);
    expect((await api.database.owner.query('select from secret_throttles')).rowCount).toBe(0);
  });

  it('keeps no secret: only digests of tokens and client secrets are stored', async () => {
    const { token, clientSecret } = await acme.client(['search:read']);
    const { rows } = await api.database.owner.query<{ text: string }>(
      `select string_agg(c::text, '') || (select string_agg(t::text, '') from oauth_tokens t)
         || (select coalesce(string_agg(k::text, ''), '') from idempotency_keys k)
         || (select string_agg(a::text, '') from audit_events a) as text from oauth_clients c`,
    );
    for (const secret of [token, clientSecret]) {
      expect(rows[0]?.text).not.toContain(secret.slice(10));
      expect(rows[0]?.text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('the first start makes one organization, however many processes start', async () => {
    const fresh = await startApi();
    try {
      const credentials = Array.from({ length: 5 }, newCredentials);
      const made = await Promise.all(credentials.map((one) => makeFirstOrganization(fresh.database.record, one)));
      expect(made.filter((one) => one)).toHaveLength(1);
      const [first] = credentials.filter((_one, at) => made[at]);
      expect(await tokenFor(fresh.ask, first ?? { clientId: '', clientSecret: '' })).toMatch(/^docsvc_at_/);
    } finally {
      await fresh.close();
    }
  });
});

describe('clients', () => {
  it('two secrets live at once while one replaces the other, and each is shown once', async () => {
    const { id, clientId, clientSecret: first } = await acme.client(['search:read']);
    const rotate = async (): Promise<string> => {
      const { body } = await acme.ask<{ clientSecret: string }>(`/api/clients/${id}/rotate`, { method: 'POST' });
      return body.clientSecret;
    };
    const status = async (clientSecret: string): Promise<number> =>
      (await ask({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })).status;
    const second = await rotate();
    expect(second).toMatch(/^docsvc_cs_[\w-]{43}$/);
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    const third = await rotate();
    expect([await status(first), await status(second), await status(third)]).toEqual([401, 200, 200]);
    const list = await acme.ask('/api/clients');
    expect(JSON.stringify(list.body)).not.toMatch(/docsvc_cs_|secret/i);
    expect((await acme.ask(`/api/clients/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await status(third)).toBe(401);
  });

  it('DI-060 a credential gives away, and takes over, nothing that it does not have itself', async () => {
    const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'Limits' } });
    const limits = { workspaceIds: [workspace.body.id] };
    const manager = await acme.client(['clients:manage', 'documents:read'], limits);
    const make = (body: object): Promise<Answer> =>
      api.ask('/api/clients', { method: 'POST', token: manager.token, body: { name: 'Made', ...body } });
    expect(await make({ scopes: ['documents:write'] })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
    const made = await make({ scopes: ['documents:read'] });
    expect(made).toMatchObject({ status: 201, body: limits });
    const other = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'Other' } });
    expect(await make({ scopes: ['documents:read'], workspaceIds: [other.body.id] })).toMatchObject({ status: 400 });
    const wide = await acme.client(['documents:read']);
    for (const [method, path] of [
      ['POST', `/api/clients/${wide.id}/rotate`],
      ['DELETE', `/api/clients/${wide.id}`],
    ] as const) {
      expect(await api.ask(path, { method, token: manager.token })).toMatchObject({ status: 404 });
    }
    const inside = await acme.client(['documents:read', 'search:read'], limits);
    const rotated = await api.ask(`/api/clients/${inside.id}/rotate`, { method: 'POST', token: manager.token });
    expect(rotated).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    const seen = await api.ask<{ data: { id: string }[] }>('/api/clients', { token: manager.token });
    expect(seen.body.data.map(({ id }) => id)).toEqual([inside.id, made.body['id'], manager.id]);
    expect(await api.ask('/api/workspaces', { token: manager.token })).toMatchObject({ status: 403 });
  });

  it('the last client that can manage all others is not revoked', async () => {
    const solo = await api.organization('Solo');
    const revoke = (): Promise<Answer> => solo.ask(`/api/clients/${solo.clientRowId}`, { method: 'DELETE' });
    expect(await revoke()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const { token } = await solo.client(['clients:manage']);
    expect((await revoke()).status).toBe(204);
    expect((await api.ask('/api/clients', { token })).status).toBe(200);
  });

  it('of two that revoke each other at the same moment one stays', async () => {
    for (let round = 0; round < 12; round += 1) {
      const pair = await api.organization('Pair');
      const other = await pair.client([...SCOPES]);
      const revoke = (id: string, token: string): Promise<Answer> =>
        api.ask(`/api/clients/${id}`, { method: 'DELETE', token });
      const answers = await Promise.all([revoke(other.id, pair.token), revoke(pair.clientRowId, other.token)]);
      const statuses = answers.map(({ status }) => status).toSorted();
      // The second may find itself revoked at the door.
      expect(statuses[0]).toBe(204);
      expect([401, 409]).toContain(statuses[1]);
    }
  });

  it('a client that expires gives no token beyond its end', async () => {
    const expiresAt = new Date(Date.now() + 90_000).toISOString();
    const { clientId, clientSecret } = await acme.client(['search:read'], { expiresAt });
    const answer = await ask({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
    expect(Number(answer.body['expires_in'])).toBeLessThanOrEqual(90);
    const past = { name: 'Past', scopes: ['search:read'], expiresAt: '2020-01-01T00:00:00Z' };
    expect(await acme.ask('/api/clients', { method: 'POST', body: past })).toMatchObject({ status: 400 });
  });

  it('without DOCSVC_SEAL_KEY routes of clients answer 503 and say so', async () => {
    const bare = await startApi({ DOCSVC_SEAL_KEY: '' });
    try {
      const { ask: asOrganization } = await bare.organization();
      for (const [method, body] of [['GET'], ['POST', { name: 'x', scopes: ['search:read'] }]] as const) {
        const answer = await asOrganization('/api/clients', { method, ...(body === undefined ? {} : { body }) });
        expect(answer).toMatchObject({
          status: 503,
          body: { error: { code: 'unavailable', message: expect.stringContaining('DOCSVC_SEAL_KEY') } },
        });
      }
    } finally {
      await bare.close();
    }
  });
});
