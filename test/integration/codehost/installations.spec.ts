import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { canReceiveEvents } from '../../../src/core/connections/can-receive-events.js';
import { Codehost } from '../../../src/core/codehost/codehost.js';
import { AppsBench, type RegisteredApp } from '../../support/codehost/apps-bench.js';
import { as } from '../../support/codehost/codehost-bench.js';

let apps: AppsBench;
beforeAll(async () => {
  apps = await AppsBench.start({ SERVICE_PUBLIC_URL: 'https://sandgate.example.com' });
});
afterEach(() => apps.bench.reset());
afterAll(() => apps?.close());

describe('installing a registered app', () => {
  let app: RegisteredApp;
  beforeAll(async () => {
    app = await apps.register();
  });

  it('leads to the page of the host, and what the host confirms is connected for the organization', async () => {
    const { visitor } = await apps.openInstall(app);
    expect([...visitor.cookies.keys()]).toEqual([expect.stringMatching(/^svc_gh_[0-9a-f]{32}$/)]);
    const direct = apps.visitor();
    const page = await direct.openInstall(app.installUrl);
    expect(`${page.origin}${page.pathname}`).toBe(`${apps.bench.host.url()}/apps/${app.hosted.slug}/installations/new`);

    const installed = await apps.install(app, '501');
    expect([installed.status, await installed.text()]).toEqual([200, expect.stringContaining('<h1>Connected</h1>')]);
    const [connection] = await apps.connections('501');
    const read = await apps.bench.api.get(`/v1/connections/${connection?.id}`, as(apps.bench.member));
    expect(read.body).toMatchObject({
      provider: 'codehost_app',
      external_account_id: '501',
      display_name: `${app.hosted.slug} → acme`,
      status: 'active',
      owner: 'organization',
      auth_kind: 'static',
      registration_id: app.registration.id,
      authorization_generation: 1,
      metadata: {
        app_id: String(app.hosted.id),
        installation_id: '501',
        app_slug: app.hosted.slug,
        account_login: 'acme',
        registration_id: app.registration.id,
      },
    });
    expect((await apps.bench.api.get(`/v1/connections/${connection?.id}/repos`)).status).toBe(200);
    const { organizationId, db } = apps.bench.api;
    expect(await db.withTenant(organizationId, (tx) => canReceiveEvents(tx, connection?.id ?? ''))).toBe(true);
  });

  it('is started for an active registration alone', async () => {
    const { registration } = await apps.startManifest();
    expect((await apps.post(`${registration.id}/install/start`)).status).toBe(409);
    expect((await apps.post(`${uuidv7()}/install/start`)).status).toBe(404);
    expect((await apps.post('nonsense/install/start')).status).toBe(404);
  });
});

describe('synchronizing the installations of an app', () => {
  it('reads every page of the host, connects what is new, and names what it leaves as it is', async () => {
    const app = await apps.register();
    for (let n = 1; n <= 201; n += 1) app.hosted.installations.set(`6${n}`, { login: `org-${n}`, suspended: n === 7 });
    await apps.install(app, '61');
    const [revoked] = await apps.connections('61');
    await apps.bench.api.post(`/v1/connections/${revoked?.id}/revoke`, undefined, as(apps.bench.admin));
    const first = await apps.sync(app);
    expect(first).toMatchObject({ registration_id: app.registration.id, installations: 201 });
    expect(first.synced).toHaveLength(200);
    expect(first.connections.map(({ id }) => id)).toEqual(first.synced.map(({ connection_id: id }) => id));
    expect(first.synced.filter(({ status }) => status === 'suspended')).toMatchObject([{ installation_id: '67' }]);
    expect(first.conflicts).toEqual([{ installation_id: '61', reason: expect.stringContaining('approve') as unknown }]);
    const pages = apps.bench.host.requests.filter(({ url }) => url.startsWith('/api/app/installations?'));
    expect(pages.map(({ url }) => url)).toEqual([1, 2, 3].map((n) => `/api/app/installations?page=${n}&per_page=100`));
    const again = await apps.sync(app);
    expect(again.synced).toEqual(first.synced);
    const { rows } = await apps.bench.api.database.owner.query<{ by: string | null }>(
      'select created_by_user_id as by from integration_connections where external_account_id = $1',
      ['67'],
    );
    expect(rows).toEqual([{ by: apps.bench.admin.userId }]);
  });

  it('CP-155 what the host suspends is suspended here and unsuspended again; an approval revives what was revoked', async () => {
    const app = await apps.register();
    await apps.install(app, '701');
    const [{ id } = { id: '' }] = await apps.connections('701');
    const statusOf = async () => (await apps.bench.api.get(`/v1/connections/${id}`)).body.status;
    const token = () =>
      apps.bench.api.app.get(Codehost).tokens.get({ organizationId: apps.bench.api.organizationId, connectionId: id });
    const before = (await token()).token;
    app.hosted.installations.set('701', { login: 'acme', suspended: true });
    await apps.sync(app);
    expect(await statusOf()).toBe('suspended');
    await expect(token()).rejects.toMatchObject({ code: 'conflict' });
    app.hosted.installations.set('701', { login: 'renamed', suspended: false });
    const synced = await apps.sync(app);
    expect(synced.connections).toMatchObject([{ id, status: 'active', metadata: { account_login: 'renamed' } }]);
    expect((await token()).token).not.toBe(before);
    await apps.bench.api.post(`/v1/connections/${id}/revoke`, undefined, as(apps.bench.admin));
    expect((await apps.sync(app)).conflicts).toHaveLength(1);
    const approved = await apps.bench.api.post(`/v1/connections/${id}/approve`, undefined, as(apps.bench.admin));
    expect([approved.status, approved.body.id, approved.body.status]).toEqual([200, id, 'active']);
  });

  it('an installation that was entered by hand stays with whoever entered it', async () => {
    const app = await apps.register();
    app.hosted.installations.set('801', { login: 'acme', suspended: false });
    const pasted = await apps.bench.create({
      ...apps.bench.appBody({ installation_id: '801', app_id: String(app.hosted.id) }),
      private_key: app.hosted.privateKey,
    });
    expect(pasted.status).toBe(200);
    const synced = await apps.sync(app);
    expect([synced.synced, synced.conflicts]).toEqual([
      [],
      [{ installation_id: '801', reason: expect.stringContaining('by hand') as unknown }],
    ]);
    const page = await apps.install(app, '801');
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('connected already')]);
    // Custody does not pass on when its connection ends.
    await apps.bench.api.post(`/v1/connections/${pasted.body.id}/revoke`, undefined, as(apps.bench.admin));
    expect((await apps.sync(app)).conflicts).toHaveLength(1);
    expect(await apps.connections('801')).toMatchObject([{ id: pasted.body.id, status: 'revoked' }]);
  });

  it('fails as the host fails, and for a registration that is not active or not there', async () => {
    const app = await apps.register();
    apps.bench.rest.failWith = 500;
    expect((await apps.post(`${app.registration.id}/sync`)).status).toBe(502);
    apps.bench.rest.failWith = null;
    const { registration } = await apps.startManifest();
    const answer = await apps.post(`${registration.id}/sync`);
    expect([answer.status, answer.body.error]).toEqual([400, 'the app registration is pending, not active']);
    expect((await apps.post(`${uuidv7()}/sync`)).status).toBe(404);
  });
});

describe('revoking a registration', () => {
  it('takes its connections along in one step, with their tokens and its own keys, and nothing else', async () => {
    const [app, other] = [await apps.register(), await apps.register()];
    for (const id of ['1001', '1002']) await apps.install(app, id);
    await apps.install(other, '1003');
    const ids = [...(await apps.connections('1001')), ...(await apps.connections('1002'))].map(({ id }) => id);
    expect((await apps.bench.api.get(`/v1/connections/${ids[0]}/repos`)).status).toBe(200);
    const asked = apps.bench.host.requests.length;
    const answer = await apps.post(`${app.registration.id}/revoke`);
    expect([answer.status, answer.body]).toEqual([
      200,
      { registration_id: app.registration.id, revoked_connections: ids.toSorted() },
    ]);
    for (const id of ids) {
      expect((await apps.bench.api.get(`/v1/connections/${id}`)).body.status).toBe('revoked');
      expect((await apps.bench.api.get(`/v1/connections/${id}/repos`)).status).toBe(409);
      const approved = await apps.bench.api.post(`/v1/connections/${id}/approve`, undefined, as(apps.bench.admin));
      expect([approved.status, approved.body.error]).toEqual([409, expect.stringContaining('not active')]);
    }
    expect(apps.bench.host.requests).toHaveLength(asked);
    expect(await apps.connections('1003')).toMatchObject([{ status: 'active' }]);
    const { rows } = await apps.bench.api.database.owner.query<object>(
      `select status, num_nonnulls(pem_sealed, webhook_secret_sealed, client_secret_sealed) as secrets
         from github_app_registrations where id = $1`,
      [app.registration.id],
    );
    expect(rows).toEqual([{ status: 'revoked', secrets: 0 }]);
    expect((await apps.post(`${app.registration.id}/revoke`)).status).toBe(409);
    expect((await apps.post(`${uuidv7()}/revoke`)).status).toBe(404);
    expect((await apps.list()).map(({ id }) => id)).toContain(app.registration.id);
  });

  it('against sync and setup at the same time, no connection outlives its registration', async () => {
    for (let round = 0; round < 6; round += 1) {
      const app = await apps.register();
      const id = `20${round}`;
      const { visitor, state } = await apps.openInstall(app);
      for (const installation of [id, `${id}1`])
        app.hosted.installations.set(installation, { login: 'acme', suspended: false });
      await Promise.all([
        apps.post(`${app.registration.id}/sync`),
        visitor.get(apps.setup(app.registration, { installation_id: id, state })),
        apps.post(`${app.registration.id}/revoke`),
      ]);
      const left = [...(await apps.connections(id)), ...(await apps.connections(`${id}1`))];
      expect(left.filter(({ status }) => status !== 'revoked')).toEqual([]);
    }
  });
});
