import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessTokens } from '../../../src/core/oauth/access-tokens.js';
import { ConnectBench } from '../../support/oauth/connect-bench.js';
import { grant } from '../../support/oauth/scripted-issuer.js';

let bench: ConnectBench;
beforeAll(async () => {
  bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787' });
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

describe('connecting by OAuth', () => {
  it('CP-151 CP-152 CP-256 goes from pending to active by the newest callback, and takes a snapshot of the tools', async () => {
    const { id } = await bench.connection({ oauth: { scopes: ['read', 'write'] } });
    expect((await bench.read(id)).status).toBe('pending');
    const authorization = await bench.visitor().follow(await bench.goUrl(id));
    const asked = Object.fromEntries(authorization.searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: expect.stringMatching(/^client-/),
      redirect_uri: 'http://127.0.0.1:8787/v1/oauth/callback',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      resource: bench.mcp.endpoint,
      scope: 'read write',
    });
    bench.issuer.token = () => grant({ scope: 'read' });
    const page = await bench.connect(id);
    const text = await page.text();
    expect([page.status, text]).toEqual([200, expect.stringContaining('<h1>Connected</h1>')]);
    expect(text).toContain('snapshotted 2 tool(s) (v1)');
    const connection = await bench.read(id);
    expect(connection).toMatchObject({ status: 'active', authorization_generation: 1, granted_scopes: ['read'] });
    expect(connection.oauth).toMatchObject({
      issuer: bench.issuer.url,
      client_id_source: 'dcr',
      activated_at: expect.stringMatching(/^\d{4}-/),
    });
    const [exchange] = bench.issuer.tokenCalls;
    expect(exchange?.parameters).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      client_id: asked['client_id'],
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: asked['redirect_uri'],
      resource: bench.mcp.endpoint,
    });
    expect(bench.mcp.seen.at(-1)).toMatch(/^access-/);
  });

  it('CP-259 the page names organization, connection, hosts and requester, and needs a click', async () => {
    const owner = await bench.api.addUser('member');
    const { id } = await bench.connection({ owner });
    const goUrl = await bench.goUrl(id, owner.token);
    const visitor = bench.visitor();
    const page = await visitor.get(goUrl);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-svc_oauth_flow=[\w-]{43}; HttpOnly; SameSite=Lax; Secure; Path=\/; Max-Age=600$/),
    ]);
    for (const named of ['default', 'Scripted tools', new URL(bench.mcp.url).host, new URL(bench.issuer.url).host]) {
      expect(text).toContain(`<dd>${named}</dd>`);
    }
    expect(text).toContain(`<dt>Asked for by</dt><dd>user ${owner.userId.slice(-4)}</dd>`);
    expect(text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' https: http:/,
    );
    expect([page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    // Reading the page gives no right to the callback: the cookie changes with the click.
    const read = visitor.cookie;
    const clicked = await visitor.click(goUrl, { 'sec-fetch-site': 'same-origin' });
    expect(clicked.status).toBe(303);
    expect(visitor.cookie).not.toBe(read);
  });

  it('CP-153 CP-308 an older flow changes nothing once a newer authorization is there, and says so', async () => {
    const { id } = await bench.connection();
    const [older, newer] = [bench.visitor(), bench.visitor()];
    const first = await older.follow(await bench.goUrl(id));
    const second = await newer.follow(await bench.goUrl(id));
    expect((await newer.get(bench.callback(second))).status).toBe(200);
    const active = await bench.read(id);
    const calls = bench.issuer.tokenCalls.length;
    const overtaken = await older.get(bench.callback(first));
    expect([overtaken.status, await overtaken.text()]).toEqual([
      400,
      expect.stringMatching(/superseded by a newer one; restart the connect flow/),
    ]);
    expect(await bench.read(id)).toEqual(active);
    // The code was not even exchanged.
    expect(bench.issuer.tokenCalls).toHaveLength(calls);
  });

  it('CP-308 also when both have the very same moment', async () => {
    const { id } = await bench.connection();
    const visitor = bench.visitor();
    const authorization = await visitor.follow(await bench.goUrl(id));
    await bench.api.db.withTenant(bench.api.organizationId, (tx) =>
      tx.query(
        `update integration_connections c set oauth = c.oauth || jsonb_build_object('activated_at', f.created_at)
         from connector_oauth_flows f where f.connection_id = c.id and c.id = $1`,
        [id],
      ),
    );
    const page = await visitor.get(bench.callback(authorization));
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('superseded')]);
  });

  it('CP-153 a reconnect raises the generation; the tokens of before are of no use', async () => {
    const { id } = await bench.connection();
    await bench.connect(id);
    await bench.connect(id);
    expect(await bench.read(id)).toMatchObject({ status: 'active', authorization_generation: 2 });
    const tokens = bench.api.app.get(AccessTokens);
    await expect(tokens.get(bench.api.organizationId, id, 1)).rejects.toMatchObject({ code: 'conflict' });
    await expect(tokens.get(bench.api.organizationId, id, 2)).resolves.toMatch(/^access-/);
  });

  it('a reconnect that is under way leaves the present authorization as it is', async () => {
    const { id } = await bench.connection();
    await bench.connect(id);
    const before = await bench.read(id);
    const { token_endpoint: tokenEndpoint } = bench.issuer.metadata;
    bench.issuer.metadata['token_endpoint'] = `${bench.issuer.url}/elsewhere`;
    await bench.goUrl(id);
    bench.issuer.metadata['token_endpoint'] = tokenEndpoint;
    expect((await bench.read(id)).oauth).toEqual(before.oauth);
  });

  it('registers once per issuer for all organizations and connections, also when many start at once', async () => {
    const [a, b] = [await bench.connection(), await bench.connection()];
    const before = bench.issuer.registrations.length;
    await Promise.all([a, b, a, b].map(({ id }) => bench.goUrl(id)));
    expect(bench.issuer.registrations.length - before).toBeLessThanOrEqual(before === 0 ? 1 : 0);
    expect(bench.issuer.registrations[0]).toEqual({
      client_name: 'Sandgate',
      redirect_uris: ['http://127.0.0.1:8787/v1/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('keeps a client id that a person registered on its connection, never among the shared ones', async () => {
    const { id } = await bench.connection({
      oauth: { client_id: 'by-hand', client_id_source: 'preregistered' },
    });
    await bench.connect(id);
    expect((await bench.read(id)).oauth).toMatchObject({ client_id: 'by-hand', client_id_source: 'preregistered' });
    const { rows } = await bench.api.database.owner.query(
      `select 1 from oauth_client_registrations where client_id = 'by-hand'`,
    );
    expect(rows).toEqual([]);
  });

  it('keeps no secret of a flow, connection or token in clear', async () => {
    const { id } = await bench.connection();
    const visitor = bench.visitor();
    const authorization = await visitor.follow(await bench.goUrl(id));
    const cookie = visitor.cookie ?? '';
    const state = authorization.searchParams.get('state') ?? '';
    await visitor.get(bench.callback(authorization));
    const { rows } = await bench.api.database.owner.query<{ text: string }>(
      `select row_to_json(f)::text as text from connector_oauth_flows f where f.connection_id = $1
       union all select row_to_json(c)::text from integration_connections c where c.id = $1
       union all select row_to_json(t)::text from connector_access_tokens t where t.connection_id = $1`,
      [id],
    );
    const stored = rows.map((row) => row.text).join('\n');
    expect(rows.length).toBeGreaterThanOrEqual(3);
    const verifier = bench.issuer.tokenCalls[0]?.parameters['code_verifier'] ?? '';
    for (const secret of [cookie, state, verifier, bench.mcp.seen.at(-1) ?? '']) {
      expect(secret.length).toBeGreaterThan(5);
      expect(stored).not.toContain(secret);
    }
    expect(stored).not.toMatch(/refresh-\d/);
    // Positive control: the digest of the state is there, so the search does read the rows.
    expect(stored).toContain(createHash('sha256').update(state).digest('hex'));
  });
});
