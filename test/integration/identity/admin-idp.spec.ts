import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auditOf, startOrgBench, type OrgBench } from '../../support/identity/org-bench.js';

let bench: OrgBench;
let org: { slug: string; id: string; path: string };
beforeAll(async () => {
  bench = await startOrgBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  org = await bench.makeOrg();
});
afterEach(() => {
  bench.provider.change = {};
});

const stage = (more?: Record<string, unknown>) => bench.call('POST', `${org.path}/idp`, bench.provider.body(more));
const move = (id: string, to: string, body?: unknown) => bench.call('POST', `${org.path}/idp/${id}/${to}`, body);
const patch = (id: string, body: unknown) => bench.call('PATCH', `${org.path}/idp/${id}`, body);

describe('CP-268 staging an identity provider', () => {
  it('answers every column but the secret, which rests sealed', async () => {
    const { status, body, text } = await stage();
    const { issuer } = bench.provider;
    expect([status, body.idp]).toEqual([
      200,
      {
        id: expect.any(String),
        tenant_id: org.id,
        generation: 1,
        issuer,
        client_id: 'sandgate',
        token_endpoint_auth: 'client_secret_basic',
        scopes: ['openid', 'email', 'profile'],
        alg_allowlist: ['RS256', 'ES256', 'PS256', 'RS384', 'ES384', 'RS512', 'ES512'],
        claim_mappings: {},
        bootstrap_owner_email: null,
        bootstrap_owner_expires_at: null,
        bootstrap_arm_audit_id: null,
        discovered_metadata: expect.objectContaining({ issuer }),
        jwks: { keys: [expect.objectContaining({ kid: '1' })] },
        discovered_at: expect.any(String),
        status: 'staged',
        created_by: 'operator',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(text).not.toContain('secret-of-the-client');
    const { rows } = await bench.api.database.owner.query<{ sealed: Buffer; version: number }>(
      'select client_secret_sealed as sealed, client_secret_key_version as version from org_idp_configs where id = $1',
      [body.idp.id],
    );
    expect(rows[0]?.version).toBe(2);
    expect(rows[0]?.sealed.includes('secret-of-the-client')).toBe(false);
    expect((await stage()).body.idp.generation).toBe(2);
    const listed = await bench.call('GET', `${org.path}/idp`);
    expect(listed.body.idp_configs.map(({ generation }) => generation)).toEqual([1, 2]);
    const entries = await auditOf(bench, org.id);
    expect(entries[1]).toMatchObject({ action: 'idp.create', target: body.idp.id, success: true });
    expect(JSON.stringify(entries)).not.toContain(issuer);
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ issuer: undefined }, /^issuer: must be a string/],
    [{ issuer: 'http://idp.test' }, /^issuer: /],
    [{ issuer: 'https://user:pass@idp.test' }, /^issuer: /],
    [{ issuer: 'http://127.0.0.1:9/none' }, /^issuer: /],
    [{ client_id: '' }, /^client_id: /],
    [{ client_secret: null }, /^client_secret: is needed/],
    [{ token_endpoint_auth: 'none' }, /^client_secret: must be absent/],
    [{ token_endpoint_auth: 'private_key_jwt' }, /^token_endpoint_auth: must be one of/],
    [{ token_endpoint_auth: undefined }, /^token_endpoint_auth: /],
    [{ scopes: [] }, /^scopes: /],
    [{ scopes: ['email'] }, /^scopes: /],
    [{ scopes: 'openid' }, /^scopes: must be an array/],
    [{ alg_allowlist: [] }, /^alg_allowlist: /],
    [{ alg_allowlist: ['HS256'] }, /^alg_allowlist: /],
    [{ alg_allowlist: ['none'] }, /^alg_allowlist: /],
    [{ claim_mappings: { emial: 'x' } }, /^claim_mappings\.emial: /],
    [{ claim_mappings: { role_map: { staff: 'owner' } } }, /^claim_mappings\.role_map: /],
    [{ claim_mappings: { default_role: 'owner' } }, /^claim_mappings\.default_role: /],
    [{ claim_mappings: [] }, /^claim_mappings: must be an object/],
    [{ bootstrap_owner_email: 'nobody' }, /^bootstrap_owner_email: must be an e-mail address/],
    [{ carry_forward: true }, /carry_forward/],
    [{ generation: 7 }, /generation/],
  ])('%j is refused with 400 and stages nothing', async (change, error) => {
    const answer = await stage(change);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
    expect((await bench.call('GET', `${org.path}/idp`)).body.idp_configs).toEqual([]);
    expect((await auditOf(bench, org.id)).slice(1)).toEqual([
      expect.objectContaining({ action: 'idp.create', success: false, detail: { code: 'invalid_request' } }),
    ]);
  });

  it.each<[Record<string, unknown>]>([
    [{ issuer: 'https://other.test' }],
    [{ authorization_endpoint: undefined }],
    [{ token_endpoint: 'http://idp.test/token' }],
    [{ jwks_uri: undefined }],
    [{ response_types_supported: ['id_token'] }],
    [{ response_types_supported: 'code' }],
    [{ code_challenge_methods_supported: ['plain'] }],
    [{ token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
    [{ token_endpoint_auth_methods_supported: [7] }],
  ])('a provider that says %j of itself is refused with 400', async (change) => {
    bench.provider.change = change;
    const answer = await stage();
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^issuer: /)]);
  });

  it('a provider that lists no methods takes client_secret_basic alone', async () => {
    bench.provider.change = { token_endpoint_auth_methods_supported: undefined };
    expect((await stage()).status).toBe(200);
    expect((await stage({ token_endpoint_auth: 'client_secret_post' })).status).toBe(400);
  });

  it('is 503 without a sealing key', async () => {
    const bare = await startOrgBench({ SERVICE_KMS_MODE: 'off', SERVICE_KMS_STATIC_KEK: '' });
    try {
      const made = await bare.makeOrg();
      expect((await bare.call('POST', `${made.path}/idp`, bare.provider.body())).status).toBe(503);
    } finally {
      await bare.close();
    }
  });
});

describe('CP-268 changing an identity provider', () => {
  it('changes what may change, in any status, and keeps the rest', async () => {
    const { id } = (await stage()).body.idp;
    const changed = await patch(id, {
      scopes: ['openid'],
      claim_mappings: { email: 'mail' },
      alg_allowlist: ['ES256'],
    });
    expect(changed.body.idp).toMatchObject({
      scopes: ['openid'],
      claim_mappings: { email: 'mail' },
      alg_allowlist: ['ES256'],
      token_endpoint_auth: 'client_secret_basic',
      issuer: bench.provider.issuer,
      status: 'staged',
    });
    expect((await auditOf(bench, org.id)).at(-1)).toMatchObject({
      action: 'idp.patch',
      target: id,
      detail: { changed: ['alg_allowlist', 'claim_mappings', 'scopes'] },
    });
    await move(id, 'activate');
    expect((await patch(id, { scopes: ['openid', 'email'] })).status).toBe(200);
    await move(id, 'disable');
    expect((await patch(id, { scopes: ['openid'] })).body.idp.status).toBe('disabled');
  });

  it.each([{ issuer: 'https://other.test' }, { client_id: 'other' }, { generation: 2 }])(
    '%j is refused, and the refusal names the migration',
    async (body) => {
      const { id } = (await stage()).body.idp;
      const answer = await patch(id, body);
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/migrat/)]);
    },
  );

  it.each<[unknown, number, RegExp]>([
    [{ status: 'active' }, 400, /status/],
    [{ scopes: ['email'] }, 400, /^scopes/],
    [{ alg_allowlist: [] }, 400, /^alg_allowlist/],
    [{ scopes: null }, 400, /^scopes/],
    [{ claim_mappings: { default_role: 'owner' } }, 400, /default_role/],
    [{ client_secret: '' }, 400, /^client_secret/],
    [{ client_secret: null }, 409, /^client_secret: .* needs one/],
    [{ token_endpoint_auth: 'none' }, 409, /^client_secret: .* takes no secret/],
  ])('%j is refused with %d', async (body, status, error) => {
    const { id } = (await stage()).body.idp;
    const answer = await patch(id, body);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(error)]);
  });

  it('replaces, keeps and removes the secret together with the method', async () => {
    const { id } = (await stage()).body.idp;
    const sealed = async () => {
      const { rows } = await bench.api.database.owner.query<{ hex: string | null }>(
        `select encode(client_secret_sealed, 'hex') as hex from org_idp_configs where id = $1`,
        [id],
      );
      return rows[0]?.hex;
    };
    const first = await sealed();
    await patch(id, { token_endpoint_auth: 'client_secret_post' });
    expect(await sealed()).toBe(first);
    await patch(id, { client_secret: 'another' });
    const second = await sealed();
    expect(second).not.toBe(first);
    expect((await patch(id, { token_endpoint_auth: 'none', client_secret: null })).status).toBe(200);
    expect(await sealed()).toBeNull();
  });

  it('arms and disarms an address', async () => {
    const { id } = (await stage({ bootstrap_owner_email: ' Ada@Acme.test' })).body.idp;
    const [armed] = (await bench.call('GET', `${org.path}/idp`)).body.idp_configs;
    expect(armed).toMatchObject({ bootstrap_owner_email: 'ada@acme.test' });
    const entries = await auditOf(bench, org.id);
    expect(entries.map(({ action }) => action)).toEqual(['org.create', 'idp.create', 'break_glass.arm']);
    const disarmed = await patch(id, { bootstrap_owner_email: null });
    expect(disarmed.body.idp).toMatchObject({ bootstrap_owner_email: null, bootstrap_arm_audit_id: null });
    const again = await patch(id, { bootstrap_owner_email: 'grace@acme.test' });
    expect(again.body.idp.bootstrap_owner_email).toBe('grace@acme.test');
    await bench.addMember(org.id, 'owner');
    expect((await patch(id, { bootstrap_owner_email: 'eve@acme.test' })).status).toBe(409);
    expect((await patch(id, { bootstrap_owner_email: null })).status).toBe(200);
    expect((await stage({ bootstrap_owner_email: 'eve@acme.test' })).status).toBe(409);
  });
});

describe('CP-268 statuses of identity providers', () => {
  it('go from staged to active, to disabled and back, and nowhere else', async () => {
    const { id } = (await stage()).body.idp;
    expect((await move(id, 'disable')).status).toBe(409);
    expect((await move(id, 'reactivate')).status).toBe(409);
    expect((await move(id, 'migrate', bench.provider.body())).status).toBe(409);
    expect((await move(id, 'activate')).body.idp.status).toBe('active');
    expect((await move(id, 'activate')).status).toBe(409);
    expect((await move(id, 'reactivate')).status).toBe(409);
    const other = (await stage()).body.idp;
    expect((await move(other.id, 'activate')).status).toBe(409);
    expect((await move(id, 'disable')).body).toEqual({
      status: 'disabled',
      flows_cancelled: 0,
      switches_cancelled: 0,
      sessions_revoked: 0,
    });
    expect((await move(id, 'activate')).status).toBe(409);
    expect((await move(other.id, 'activate')).status).toBe(200);
    expect((await move(id, 'reactivate')).status).toBe(409);
    await move(other.id, 'disable');
    expect((await move(id, 'reactivate')).body.idp.status).toBe('active');
    for (const foreign of ['no-uuid', '0190a0a0-0000-7000-8000-000000000000'])
      for (const to of ['activate', 'disable', 'reactivate']) expect((await move(foreign, to)).status).toBe(404);
    const refused = (await auditOf(bench, org.id)).filter(({ success }) => !success);
    expect(refused.length).toBe(14);
    expect(refused[0]).toMatchObject({ action: 'idp.disable', target: id, detail: { code: 'conflict' } });
  });

  it('are of one organization: the provider of another is not there', async () => {
    const { id } = (await stage()).body.idp;
    const other = await bench.makeOrg();
    expect((await bench.call('POST', `${other.path}/idp/${id}/activate`)).status).toBe(404);
    expect((await bench.call('PATCH', `${other.path}/idp/${id}`, {})).status).toBe(404);
  });

  it('of parallel activations one wins', async () => {
    const staged = await Promise.all(Array.from({ length: 4 }, () => stage()));
    expect(staged.map(({ body }) => body.idp.generation).sort()).toEqual([1, 2, 3, 4]);
    const answers = await Promise.all(staged.map(({ body }) => move(body.idp.id, 'activate')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});
