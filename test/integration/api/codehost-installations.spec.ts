import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import { connectionIn, type CreatedConnection } from '../../support/connections/connections-api.js';
import { type TestUser } from '../../support/api/users.js';
import { as, CodehostBench, TOKEN } from '../../support/codehost/codehost-bench.js';

let bench: CodehostBench;
beforeAll(async () => {
  bench = await CodehostBench.start();
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

describe('an installation of an app', () => {
  it('CP-117 is proved by the key of its app, and its secrets are in no answer', async () => {
    const answer = await bench.create(bench.appBody({ app_id: 99 }));
    const connection = connectionIn(answer);
    expect(connection).toMatchObject({
      provider: 'codehost_app',
      external_account_id: '501',
      display_name: 'sandgate-acme → acme',
      status: 'active',
      owner: 'organization',
      ingress_path: `/v1/ingress/codehost/${connection.id}`,
      metadata: { app_id: '99', installation_id: '501', app_slug: 'sandgate-acme', account_login: 'acme' },
    });
    expect(answer.text).not.toMatch(/PRIVATE KEY|whsec-canary/);
    const again = await bench.create(bench.appBody());
    expect([again.status, again.body.error]).toEqual([409, 'installation_id: this installation is connected already']);
  });

  it.each([
    [
      'another key',
      () => ({ private_key: otherKey(2048) }),
      'private_key: the code host rejected this app_id with this key',
    ],
    ['another app', () => ({ app_id: '98' }), 'private_key: the code host rejected'],
    [
      'a weak key',
      () => ({ private_key: otherKey(1024) }),
      'private_key must be an RSA private key of at least 2048 bits',
    ],
    ['what is no key', () => ({ private_key: 'canary-no-key' }), 'private_key must be an RSA private key'],
    ['an unknown installation', () => ({ installation_id: '777' }), 'has no installation 777'],
    ['a suspended installation', () => ({ installation_id: '502' }), 'it is suspended at the code host'],
    [
      'an id that is no number',
      () => ({ installation_id: '../app' }),
      'installation_id: is required and must be a number',
    ],
    ['no webhook secret', () => ({ webhook_secret: '' }), 'webhook_secret: is required'],
    ['a token', () => ({ token: TOKEN }), 'token: is of codehost and mcp_http'],
    ['a person', () => ({ owner: 'personal' }), 'owner: an installation of an app belongs to the organization'],
  ])('%s is refused and nothing of it remains', async (_what, more, reason) => {
    const before = await bench.count();
    const answer = await bench.create(bench.appBody({ installation_id: '503', ...more() }));
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect(answer.text).not.toContain('canary');
    expect(await bench.count()).toBe(before);
  });
});

describe('approving an installation that the code host told of', () => {
  let registration: string;
  beforeAll(async () => {
    registration = await register();
  });

  /** As the setup of an app and the webhook of its installation leave them. */
  async function register(): Promise<string> {
    const id = uuidv7();
    const place = { organizationId: bench.api.organizationId, column: 'github_app_registrations.pem', row: id };
    const sealed = await bench.api.app.get(Sealer).seal(place, bench.app.privateKey);
    await bench.api.database.owner.query(
      `insert into github_app_registrations (id, tenant_id, status, target_kind, app_id, slug, pem_sealed, pem_key_version)
       values ($1, $2, 'active', 'organization', '99', 'sandgate-acme', $3, $4)`,
      [id, bench.api.organizationId, sealed.bytes, sealed.keyVersion],
    );
    return id;
  }

  async function told(installation: string, status = 'pending'): Promise<string> {
    const id = uuidv7();
    await bench.api.database.owner.query(
      `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind,
         owner_type, registration_id) values ($1, $2, 'codehost_app', $3, 'told', $4, 'static', 'organization', $5)`,
      [id, bench.api.organizationId, installation, status, registration],
    );
    return id;
  }

  const approve = async (id: string, user: TestUser = bench.admin) => {
    const answer = await bench.api.post(`/v1/connections/${id}/approve`, undefined, as(user));
    return { status: answer.status, error: answer.body.error, connection: answer.body as unknown as CreatedConnection };
  };

  it('CP-154 CP-155 CP-250 asks the host again and moves pending, error, suspended and revoked to active, under the same id and generation', async () => {
    bench.app.installations.set('601', { login: 'acme', suspended: false });
    const id = await told('601');
    expect((await bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
    expect((await approve(id, bench.member)).status).toBe(403);
    expect((await approve(id)).connection).toMatchObject({ id, status: 'active', authorization_generation: 1 });
    expect((await bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(200);
    const asked = bench.host.requests.length;
    expect(await approve(id)).toMatchObject({ status: 200, connection: { status: 'active' } });
    expect(bench.host.requests).toHaveLength(asked);
    for (const status of ['error', 'suspended', 'revoked']) {
      await bench.api.database.owner.query('update integration_connections set status = $2 where id = $1', [
        id,
        status,
      ]);
      expect((await approve(id)).connection).toMatchObject({ id, status: 'active', authorization_generation: 1 });
    }
    bench.app.installations.set('601', { login: 'acme', suspended: true });
    await bench.api.post(`/v1/connections/${id}/revoke`, undefined, as(bench.admin));
    expect((await approve(id)).connection).toMatchObject({ id, status: 'suspended' });
  });

  it('CP-156 one that the host suspended is revoked like any other, and what was minted for it is used no more', async () => {
    bench.app.installations.set('604', { login: 'acme', suspended: false });
    const id = await told('604');
    expect((await approve(id)).connection.status).toBe('active');
    expect((await bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(200);
    bench.app.installations.set('604', { login: 'acme', suspended: true });
    await bench.api.database.owner.query(`update integration_connections set status = 'error' where id = $1`, [id]);
    expect((await approve(id)).connection.status).toBe('suspended');
    const asked = bench.host.requests.length;
    const answer = await bench.api.post(`/v1/connections/${id}/revoke`, undefined, as(bench.admin));
    expect([answer.status, answer.body.status]).toEqual([200, 'revoked']);
    expect((await bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
    expect(bench.host.requests).toHaveLength(asked);
  });

  it('is refused for other kinds, for what the host does not confirm, and while its registration is not active', async () => {
    bench.app.installations.set('602', { login: 'acme', suspended: false });
    const id = await told('602');
    const gone = await told('999');
    const pasted = connectionIn(await bench.create({ provider: 'codehost', token: TOKEN }));
    await bench.api.post(`/v1/connections/${pasted.id}/revoke`, undefined, as(bench.admin));
    expect(await approve(pasted.id)).toMatchObject({ status: 400 });
    expect(await approve(uuidv7())).toMatchObject({ status: 404 });
    expect(await approve(gone)).toMatchObject({
      status: 409,
      error: expect.stringContaining('does not exist') as unknown,
    });
    bench.rest.failWith = 500;
    expect(await approve(id)).toMatchObject({ status: 502 });
    bench.rest.failWith = null;
    const other = await told('602', 'revoked');
    expect((await approve(id)).status).toBe(200);
    expect(await approve(other)).toMatchObject({
      status: 409,
      error: 'the installation is live on another connection',
    });
    await setRegistration('revoked');
    expect(await approve(other)).toMatchObject({
      status: 409,
      error: expect.stringContaining('not active') as unknown,
    });
    expect((await bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
    await setRegistration('active');
  });

  it('a registration that is revoked while the host is asked takes the connection with it', async () => {
    bench.app.installations.set('603', { login: 'acme', suspended: false });
    const id = await told('603');
    bench.host.interfere = [
      async (request, response) => {
        await setRegistration('revoked');
        return bench.rest.serve(request, response);
      },
    ];
    expect(await approve(id)).toMatchObject({
      status: 409,
      error: expect.stringContaining('was revoked during') as unknown,
    });
    bench.host.interfere = [bench.rest.serve];
    await setRegistration('active');
    expect((await bench.api.get(`/v1/connections/${id}`)).body.status).toBe('revoked');
  });

  const setRegistration = (status: string) =>
    bench.api.database.owner.query('update github_app_registrations set status = $2 where id = $1', [
      registration,
      status,
    ]);
});

function otherKey(modulusLength: number): string {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}
