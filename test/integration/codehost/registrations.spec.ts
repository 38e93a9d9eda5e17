import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { canReceiveEvents } from '../../../src/core/connections/can-receive-events.js';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import { startApi } from '../../support/api/api.js';
import { AppsBench } from '../../support/codehost/apps-bench.js';
import { as } from '../../support/codehost/codehost-bench.js';

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
