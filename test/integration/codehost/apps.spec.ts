import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { Codehost } from '../../../src/core/codehost/codehost.js';
import { canReceiveEvents } from '../../../src/core/connections/can-receive-events.js';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import { startApi } from '../../support/api/api.js';
import { AppsBench, type RegisteredApp } from '../../support/codehost/apps-bench.js';
import { as, TOKEN } from '../../support/codehost/codehost-bench.js';

const PUBLIC_URL = 'https://sandgate.example.com';
/** What no answer may hold. */
const SECRETS = /PRIVATE KEY|canary/;

let apps: AppsBench;
beforeAll(async () => {
  apps = await AppsBench.start({ SERVICE_PUBLIC_URL: PUBLIC_URL });
});
afterEach(() => apps.bench.reset());
afterAll(() => apps?.close());

describe('registering an app from a manifest', () => {
  it('sends a browser with a manifest of the organization to the host, and takes the app over once', async () => {
    const { registration, action, manifest, page, state, visitor } = await apps.openManifest({ organization: 'acme' });
    expect(registration).toMatchObject({
      status: 'pending',
      target_kind: 'organization',
      target_org: 'acme',
      app_id: null,
      app_slug: null,
      has_webhook_secret: false,
    });
    expect(`${action.origin}${action.pathname}`).toBe(`${apps.bench.host.url()}/organizations/acme/settings/apps/new`);
    expect(manifest).toEqual({
      name: 'sandgate-sandgate-example-com',
      url: PUBLIC_URL,
      redirect_url: `${PUBLIC_URL}/v1/codehost/app/manifest/callback`,
      setup_url: `${PUBLIC_URL}/v1/codehost/app/${registration.id}/setup`,
      setup_on_update: true,
      public: false,
      default_permissions: { contents: 'read', pull_requests: 'write', checks: 'write' },
      hook_attributes: { url: `${PUBLIC_URL}/v1/ingress/codehost/app/${registration.id}`, active: true },
      default_events: ['pull_request'],
    });
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        new RegExp(`^default-src 'none'; .*frame-ancestors 'none'; form-action ${apps.bench.host.url()}$`),
      ) as unknown,
    });
    const [cookie = ''] = page.headers.getSetCookie();
    expect(cookie).toMatch(
      /^svc_gh_[0-9a-f]{32}=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/v1\/codehost\/app; Secure; Max-Age=3600$/,
    );

    const done = await visitor.get(apps.callback(state));
    const text = await done.text();
    expect([done.status, text]).toEqual([200, expect.stringContaining('<h1>App registered</h1>')]);
    expect(text).toMatch(
      new RegExp(`<a href="${PUBLIC_URL}/v1/codehost/app/install/go\\?boot=[\\w-]+">Install Sandgate</a>`),
    );
    expect(done.headers.getSetCookie()).toEqual([expect.stringMatching(/^svc_gh_[0-9a-f]{32}=; .*Max-Age=0$/)]);
    expect(done.headers.get('content-security-policy')).toMatch(/form-action 'none'$/);
    const hosted = apps.bench.rest.apps.at(-1);
    expect((await apps.list())[0]).toMatchObject({
      id: registration.id,
      status: 'active',
      app_id: String(hosted?.id),
      slug: hosted?.slug,
      app_slug: hosted?.slug,
      name: 'Sandgate',
      client_id: `Iv1.${hosted?.id}`,
      owner_login: 'acme',
      html_url: `https://code.test/apps/${hosted?.slug}`,
      has_webhook_secret: true,
    });
  });

  it('CP-289 its keys rest sealed and are in no answer', async () => {
    const { registration } = await apps.register();
    const { rows } = await apps.bench.api.database.owner.query<{ row: string; sealed: Buffer[] }>(
      `select r::text as row, array[pem_sealed, webhook_secret_sealed, client_secret_sealed] as sealed
         from github_app_registrations r where id = $1`,
      [registration.id],
    );
    expect(rows[0]?.sealed.every((bytes) => bytes.length > 40)).toBe(true);
    for (const secret of ['PRIVATE KEY', 'canary'])
      expect(rows[0]?.row.includes(Buffer.from(secret).toString('hex'))).toBe(false);
    const listed = await apps.bench.api.get('/v1/codehost/app', as(apps.bench.member));
    expect(listed.text).not.toMatch(SECRETS);
  });

  it('the code travels percent-encoded, without a credential of ours, and the personal account needs no organization', async () => {
    const { action, state, visitor } = await apps.openManifest();
    expect(action.pathname).toBe('/settings/apps/new');
    const code = 'a/b?c=d&e#f %';
    const answer = await visitor.get(apps.callback(state, code));
    expect(answer.status).toBe(400);
    expect(apps.bench.host.requests.at(-1)).toMatchObject({
      method: 'POST',
      url: `/api/app-manifests/${encodeURIComponent(code)}/conversions`,
      authorization: null,
    });
  });

  it('a host that cannot reach us is asked for no webhook, and a secret that it gives all the same is thrown away', async () => {
    const inside = await AppsBench.start({ SERVICE_PUBLIC_URL: 'http://10.1.2.3:8787' });
    try {
      const { manifest, page, registration, state, visitor } = await inside.openManifest();
      expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['hook_attributes']));
      expect(manifest).toMatchObject({ name: 'sandgate-10-1-2-3' });
      expect(page.headers.getSetCookie()[0]).not.toContain('Secure');
      expect((await visitor.get(inside.callback(state))).status).toBe(200);
      expect(await inside.list()).toMatchObject([{ id: registration.id, status: 'active', has_webhook_secret: false }]);
      await inside.install({ registration, hosted: inside.bench.rest.apps.at(-1) as never, installUrl: '' }, '901');
      const [connection] = await inside.connections('901');
      const { organizationId, db } = inside.bench.api;
      expect(await db.withTenant(organizationId, (tx) => canReceiveEvents(tx, connection?.id ?? ''))).toBe(false);
    } finally {
      await inside.close();
    }
  });

  it('of two returns of one browser exactly one registers the app', async () => {
    const { registration, state, visitor } = await apps.openManifest();
    const answers = await Promise.all([1, 2, 3, 4].map(() => visitor.get(apps.callback(state))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    expect((await apps.list()).find(({ id }) => id === registration.id)).toMatchObject({ status: 'active' });
  });

  it.each(['-acme', 'a'.repeat(101), 'a b', 'acme/x', 'ä', '', 5])(
    'refuses the organization %j',
    async (organization) => {
      const answer = await apps.post('manifest/start', { organization });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^organization: must be /)]);
    },
  );

  it('a client that prefers JSON is answered in JSON, with where to go on', async () => {
    const { state, visitor } = await apps.openManifest({ organization: null });
    const headers = { accept: 'application/json' };
    const lost = await visitor.get(apps.callback('nonsense'), headers);
    expect([lost.status, await lost.json()]).toEqual([400, { error: expect.stringContaining('invalid') as unknown }]);
    const done = await visitor.get(apps.callback(state), headers);
    expect([done.status, await done.json()]).toEqual([
      200,
      {
        message: expect.stringContaining('is registered') as unknown,
        next: expect.stringContaining('/install/go?boot=') as unknown,
      },
    ]);
  });

  it('the former path is understood', async () => {
    const answer = await apps.bench.api.get('/v1/github/app', as(apps.bench.member));
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['registrations']]);
    expect((await apps.bench.api.get('/v1/github/apps', as(apps.bench.member))).status).toBe(404);
  });
});

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
    for (let n = 1; n <= 205; n += 1) app.hosted.installations.set(`6${n}`, { login: `org-${n}`, suspended: n === 7 });
    await apps.install(app, '61');
    const [revoked] = await apps.connections('61');
    await apps.bench.api.post(`/v1/connections/${revoked?.id}/revoke`, undefined, as(apps.bench.admin));
    const first = await apps.sync(app);
    expect(first).toMatchObject({ registration_id: app.registration.id, installations: 205 });
    expect(first.synced).toHaveLength(204);
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
    for (let round = 0; round < 10; round += 1) {
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

describe('who may', () => {
  it('a member lists apps and changes none; another organization sees none of them', async () => {
    const app = await apps.register();
    const { api, member } = apps.bench;
    for (const path of [
      'manifest/start',
      ...['install/start', 'sync', 'revoke'].map((what) => `${app.registration.id}/${what}`),
    ])
      expect([path, (await apps.post(path, undefined, member)).status]).toEqual([path, 403]);
    const stranger = await new Organizations(api.db, { harness: 'replay', model: 'none' }).create('else', 'Else');
    const owner = await api.users.add(api.db, stranger.id, 'owner');
    expect(await apps.list(owner)).toEqual([]);
    for (const what of ['install/start', 'sync', 'revoke'])
      expect((await apps.post(`${app.registration.id}/${what}`, undefined, owner)).status).toBe(404);
    expect((await apps.list()).find(({ id }) => id === app.registration.id)?.status).toBe('active');
  });

  it('CP-057 without a sealing key nothing is started, and the pages say why', async () => {
    const bare = await startApi();
    try {
      expect((await bare.post('/v1/codehost/app/manifest/start')).status).toBe(503);
      expect((await bare.get('/v1/codehost/app')).status).toBe(200);
      for (const path of [
        'manifest/go?boot=x',
        'manifest/callback?code=x&state=x',
        'install/go?boot=x',
        `${uuidv7()}/setup?state=x`,
      ]) {
        const page = await bare.get(`/v1/codehost/app/${path}`, { token: null });
        expect([path, page.status, page.text]).toEqual([path, 400, expect.stringContaining('no sealing key')]);
      }
    } finally {
      await bare.close();
    }
  });
});

describe('a token of the code host with a webhook secret', () => {
  const create = (more: object) => apps.bench.create({ provider: 'codehost', token: TOKEN, ...more });

  it('CP-117 receives events at a path that the answer names; the secret rests sealed', async () => {
    const answer = await create({ webhook_secret: ' canary-of-16-chars ' });
    const { id } = answer.body;
    expect([answer.status, (answer.body as { ingress_path?: string }).ingress_path]).toEqual([
      200,
      `/v1/ingress/codehost/${id}`,
    ]);
    expect(answer.text).not.toContain('canary');
    const { organizationId, db } = apps.bench.api;
    const can = (connection: string) => db.withTenant(organizationId, (tx) => canReceiveEvents(tx, connection));
    const plain = await create({});
    expect((plain.body as { ingress_path?: string }).ingress_path).toBeUndefined();
    expect([
      await can(id),
      await can(plain.body.id),
      await can(await apps.bench.insertMcp()),
      await can(uuidv7()),
    ]).toEqual([true, false, false, false]);
  });

  it.each([
    ['fifteen characters', { webhook_secret: 'canary-15-chars' }, 'webhook_secret: must have 16 to 256 characters'],
    ['257 characters', { webhook_secret: 'c'.repeat(257) }, 'webhook_secret: must have 16 to 256 characters'],
    ['blanks', { webhook_secret: ' '.repeat(20) }, 'webhook_secret: is required and must not be empty'],
    ['a number', { webhook_secret: 5 }, 'webhook_secret: must be a string'],
    [
      'a person as owner',
      { webhook_secret: 'canary-of-16-chars', owner: 'personal' },
      'webhook_secret: only a connection of the organization receives events',
    ],
  ])('%s: refused, and nothing of it remains', async (_what, more, reason) => {
    const before = await apps.bench.count();
    const answer = await create(more);
    expect([answer.status, answer.body.error]).toEqual([400, reason]);
    expect(await apps.bench.count()).toBe(before);
  });
});

describe('branches for a picker', () => {
  it('are listed by a token and by an installation, page by page', async () => {
    const app = await apps.register();
    await apps.install(app, '3001');
    const [installed] = await apps.connections('3001');
    const byToken = await apps.bench.create({ provider: 'codehost', token: TOKEN });
    for (const id of [installed?.id, byToken.body.id]) {
      const answer = await apps.bench.api.get(`/v1/connections/${id}/refs?repository=acme/x&page=2&per_page=200`);
      expect([answer.status, answer.body]).toEqual([
        200,
        { refs: [{ name: 'branch-2-of-100', commit_sha: 'ab'.repeat(20), protected: true }] },
      ]);
    }
  });

  it('are refused for other connections, before a credential is opened, and for what names no repository', async () => {
    const mcp = await apps.bench.insertMcp();
    const { id } = (await apps.bench.create({ provider: 'codehost', token: TOKEN })).body;
    const asked = apps.bench.host.requests.length;
    const refs = async (connection: string, query: string) => {
      const { status, body } = await apps.bench.api.get(`/v1/connections/${connection}/refs${query}`);
      return [status, body.error];
    };
    const x = '?repository=acme/x';
    expect(await refs(mcp, x)).toEqual([400, expect.stringContaining('does not belong to a code host')]);
    expect(await refs(uuidv7(), x)).toEqual([404, 'no such connection']);
    for (const repository of ['', 'acme', 'acme/x/y', '../x', 'acme/..', 'acme/x?y', 'a b/c'])
      expect(await refs(id, `?repository=${encodeURIComponent(repository)}`)).toEqual([
        400,
        expect.stringMatching(/^repository: is required and must be owner\/name/),
      ]);
    expect(await refs(id, '')).toEqual([400, expect.stringMatching(/^repository: /)]);
    expect(await refs(id, `${x}&page=0`)).toEqual([400, expect.stringMatching(/^page: /)]);
    expect(apps.bench.host.requests).toHaveLength(asked);
    expect(await refs(id, '?repository=other/x')).toEqual([
      400,
      'the branches could not be listed: the code host answered 404',
    ]);
    await apps.bench.api.post(`/v1/connections/${id}/revoke`, undefined, as(apps.bench.admin));
    expect((await refs(id, x))[0]).toBe(409);
  });
});
