import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import {
  AppsBench,
  type OpenedInstall,
  type OpenedManifest,
  type RegisteredApp,
} from '../../support/codehost/apps-bench.js';

let apps: AppsBench;
let deployment: string;
beforeAll(async () => {
  apps = await AppsBench.start();
  deployment = apps.bench.api.organizationId;
});
beforeEach(() => apps.bench.reset());
afterAll(() => apps?.close());

/** A page that says no in words of ours, leads nowhere, and sets no cookie. */
async function refused(answer: Response, text: RegExp): Promise<void> {
  const page = await answer.text();
  expect([answer.status, page]).toEqual([400, expect.stringMatching(text)]);
  expect(page).toContain('<h1>Connection failed</h1>');
  expect(page).not.toMatch(/canary|from-the-host/);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'none'$/);
  expect(answer.headers.getSetCookie()).toEqual([]);
}

const GONE = /invalid, has expired, was already used, or was opened in another browser/;

/** A token of ours, as nobody hands it out. */
async function forged(
  ticket: object,
  purpose: 'codehost-app-flow' | 'oauth-boot' = 'codehost-app-flow',
): Promise<string> {
  const sealed = await apps.bench.api.app.get(Sealer).sealTransit(deployment, purpose, JSON.stringify(ticket));
  return sealed.toString('base64url');
}

/** What a token of ours says. */
async function read(token: string): Promise<{ step: string; flow: string; app: string; end: number }> {
  const sealed = Buffer.from(token, 'base64url');
  const opened = await apps.bench.api.app.get(Sealer).openTransit(deployment, 'codehost-app-flow', sealed);
  return JSON.parse(opened ?? 'null') as { step: string; flow: string; app: string; end: number };
}

const bootOf = (goUrl: string): string => new URL(goUrl).searchParams.get('boot') ?? '';

describe('the link of a registration', () => {
  const go = (boot: string) => apps.visitor().get(`/v1/codehost/app/manifest/go?boot=${boot}`);

  it('is good for one visit, in whatever browser the second one is', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const visitor = apps.visitor();
    await visitor.openManifest(goUrl);
    await refused(await visitor.get(goUrl), GONE);
    await refused(await apps.visitor().get(goUrl), GONE);
  });

  it('of two visits at once one gets the form', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const answers = await Promise.all(Array.from({ length: 8 }, () => apps.visitor().get(goUrl)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is not used up by who only looks at where it leads', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const { pathname, search } = new URL(goUrl);
    expect((await fetch(`${apps.bench.api.url}${pathname}${search}`, { method: 'HEAD' })).status).toBe(400);
    await expect(apps.visitor().openManifest(goUrl)).resolves.toMatchObject({ state: expect.any(String) as unknown });
  });

  it.each<[string, (boot: string) => string | Promise<string>]>([
    ['no token', () => ''],
    ['a text of somebody else', () => 'AAAA'],
    ['an altered one', (boot) => `${boot.slice(0, -3)}${boot.endsWith('AAA') ? 'BBB' : 'AAA'}`],
    ['a cut one', (boot) => boot.slice(0, 40)],
    ['a very long one', (boot) => boot.repeat(20)],
    ['one that has expired', async (boot) => forged({ ...(await read(boot)), end: Date.now() - 1 })],
    ['the state in its place', async (boot) => forged({ ...(await read(boot)), step: 'manifest' })],
    ['one that was sealed for another purpose', async (boot) => forged(await read(boot), 'oauth-boot')],
    [
      'a flow of another registration',
      async (boot) => forged({ ...(await read(boot)), app: (await apps.startManifest()).registration.id }),
    ],
    [
      'an unknown registration',
      async (boot) => forged({ ...(await read(boot)), app: '01900000-0000-7000-8000-000000000000' }),
    ],
  ])('%s opens nothing', async (_what, alter) => {
    const { go_url: goUrl, registration } = await apps.startManifest();
    await refused(await go(await alter(bootOf(goUrl))), GONE);
    expect(await apps.openFlows(registration)).toBe(1);
    await apps.visitor().openManifest(goUrl);
  });

  it('opens nothing once its hour is over, or its registration revoked', async () => {
    const late = await apps.startManifest();
    await apps.expire(late.registration);
    await refused(await go(bootOf(late.go_url)), GONE);
    const gone = await apps.startManifest();
    await apps.post(`${gone.registration.id}/revoke`);
    await refused(await go(bootOf(gone.go_url)), GONE);
  });

  it('opens no installation, and that of an installation no registration', async () => {
    const app = await apps.register();
    const { go_url: goUrl } = await apps.startManifest();
    await refused(await apps.visitor().get(`/v1/codehost/app/install/go?boot=${bootOf(goUrl)}`), GONE);
    await refused(await go(bootOf(app.installUrl)), GONE);
    await apps.visitor().openInstall(app.installUrl);
    await refused(await apps.visitor().get(app.installUrl), GONE);
  });
});

describe('the return from a registration', () => {
  let opened: OpenedManifest;
  beforeEach(async () => {
    opened = await apps.openManifest();
    apps.bench.host.requests.length = 0;
  });

  const status = async () => (await apps.list()).find(({ id }) => id === opened.registration.id)?.status;
  /** Refused without asking the host, and the browser that opened the link can still finish. */
  async function refusedInVain(answer: Response, text: RegExp): Promise<void> {
    await refused(answer, text);
    expect([apps.bench.host.requests.length, await status()]).toEqual([0, 'pending']);
    expect((await opened.visitor.get(apps.callback(opened.state))).status).toBe(200);
  }

  it('without the cookie finishes nothing and uses nothing up', async () => {
    await refusedInVain(await apps.visitor().get(apps.callback(opened.state)), /did not open the link/);
  });

  it('in a browser with a flow of its own is refused', async () => {
    const { visitor } = await apps.openManifest();
    await refusedInVain(await visitor.get(apps.callback(opened.state)), /did not open the link/);
  });

  it('with a cookie that was made up is refused', async () => {
    const [name = ''] = opened.visitor.cookies.keys();
    const cookie = `${name}=${'A'.repeat(43)}`;
    await refusedInVain(await apps.visitor().get(apps.callback(opened.state), { cookie }), GONE);
  });

  it('with two cookies of the name is refused: nobody knows which is ours', async () => {
    const [[name, value] = ['', '']] = opened.visitor.cookies;
    const cookie = `${name}=planted; ${name}=${value}`;
    await refusedInVain(await apps.visitor().get(apps.callback(opened.state), { cookie }), /did not open the link/);
  });

  it.each<[string, (state: string) => string | Promise<string>]>([
    ['no state', () => ''],
    ['an altered state', (state) => `${state.slice(0, -3)}${state.endsWith('AAA') ? 'BBB' : 'AAA'}`],
    ['a state that has expired', async (state) => forged({ ...(await read(state)), end: Date.now() - 1 })],
    ['the link in place of the state', async (state) => forged({ ...(await read(state)), step: 'boot' })],
    ['the state of an installation', async (state) => forged({ ...(await read(state)), step: 'install' })],
    [
      'a state for another registration',
      async (state) => forged({ ...(await read(state)), app: (await apps.startManifest()).registration.id }),
    ],
  ])('with %s is refused', async (_what, alter) => {
    await refusedInVain(await opened.visitor.get(apps.callback(await alter(opened.state))), GONE);
  });

  it.each([
    ['no code', ''],
    ['a code that is too long', 'c'.repeat(201)],
  ])('with %s is refused', async (_what, code) => {
    await refusedInVain(await opened.visitor.get(apps.callback(opened.state, code)), /no code that could be used/);
  });

  it('is good once, also with the cookie that was cleared', async () => {
    const cookie = [...opened.visitor.cookies].map((pair) => pair.join('=')).join('; ');
    expect((await opened.visitor.get(apps.callback(opened.state))).status).toBe(200);
    await refused(await apps.visitor().get(apps.callback(opened.state), { cookie }), GONE);
    expect(apps.bench.host.requests).toHaveLength(1);
  });

  it('after its hour is refused', async () => {
    await apps.expire(opened.registration);
    await refused(await opened.visitor.get(apps.callback(opened.state)), GONE);
    expect([apps.bench.host.requests.length, await status()]).toEqual([0, 'pending']);
  });

  it('with a code that the host does not know registers nothing, and the flow is over', async () => {
    const code = 'f'.repeat(40);
    await refused(await opened.visitor.get(apps.callback(opened.state, code)), /does not know this code/);
    await refused(await opened.visitor.get(apps.callback(opened.state)), GONE);
    expect(await status()).toBe('pending');
  });

  it('from a host that fails registers nothing', async () => {
    apps.bench.rest.failWith = 500;
    await refused(await opened.visitor.get(apps.callback(opened.state)), /did not answer as it should/);
    expect(await status()).toBe('pending');
  });

  it.each<[string, Record<string, unknown>]>([
    ['no id', { id: null }],
    ['an id that is no number', { id: 'x1' }],
    ['no slug', { slug: '' }],
    ['no name', { name: undefined }],
    ['no client id', { client_id: 7 }],
    ['no client secret', { client_secret: null }],
    ['a webhook secret of another type', { webhook_secret: 5 }],
    ['no key', { pem: '' }],
    ['a key that is none', { pem: 'canary' }],
    ['a script as address', { html_url: 'javascript:alert("canary")' }],
    ['no owner', { owner: null }],
  ])('from a host that tells of an app with %s registers nothing', async (_what, members) => {
    apps.bench.rest.conversion = members;
    await refused(await opened.visitor.get(apps.callback(opened.state)), /did not answer as it should/);
    expect(await status()).toBe('pending');
  });

  it('for a registration that was revoked while the host was asked registers nothing', async () => {
    const { host, pages, rest } = apps.bench;
    host.interfere = [
      async (request, response) => {
        await apps.post(`${opened.registration.id}/revoke`);
        return rest.serve(request, response);
      },
    ];
    await refused(await opened.visitor.get(apps.callback(opened.state)), /finished or was revoked meanwhile/);
    host.interfere = [rest.serve, pages.serve];
    expect(await status()).toBe('revoked');
  });
});

describe('the return from an installation', () => {
  let app: RegisteredApp;
  let opened: OpenedInstall;
  let number = 4000;
  let installation: string;
  beforeAll(async () => {
    app = await apps.register();
  });
  beforeEach(async () => {
    installation = String((number += 1));
    app.hosted.installations.set(installation, { login: 'acme', suspended: false });
    opened = await apps.openInstall(app);
    apps.bench.host.requests.length = 0;
  });

  const setup = (more: Record<string, string> = {}) =>
    apps.setup(app.registration, { installation_id: installation, state: opened.state, ...more });
  /** No host was asked, nothing was written, and the browser that opened the link can still finish. */
  async function inVain(): Promise<void> {
    expect([apps.bench.host.requests, await apps.connections(installation)]).toEqual([[], []]);
    expect((await opened.visitor.get(setup())).status).toBe(200);
    expect(await apps.connections(installation)).toMatchObject([{ status: 'active' }]);
  }
  async function guided(answer: Response): Promise<void> {
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Nothing was changed here')]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    await inVain();
  }

  it.each<[string, (state: string) => string | Promise<string>]>([
    ['no state', () => ''],
    ['a state of somebody else', () => 'AAAA'],
    ['a state that has expired', async (state) => forged({ ...(await read(state)), end: Date.now() - 1 })],
    ['the state of a registration', async (state) => forged({ ...(await read(state)), step: 'manifest' })],
    ['the link in place of the state', async (state) => forged({ ...(await read(state)), step: 'boot' })],
  ])('with %s changes nothing, asks nobody, and says how to go on', async (_what, alter) => {
    await guided(await opened.visitor.get(setup({ state: await alter(opened.state) })));
  });

  it('without the cookie changes nothing, asks nobody, and says how to go on', async () => {
    await guided(await apps.visitor().get(setup()));
  });

  it('with a stolen state in a browser with a flow of its own changes nothing', async () => {
    const { visitor } = await apps.openInstall(app);
    await guided(await visitor.get(setup()));
  });

  it('with a cookie that was made up is refused', async () => {
    const [name = ''] = opened.visitor.cookies.keys();
    await refused(await apps.visitor().get(setup(), { cookie: `${name}=${'A'.repeat(43)}` }), GONE);
    await inVain();
  });

  it('to the address of another registration is refused', async () => {
    const other = await apps.register();
    apps.bench.host.requests.length = 0;
    const foreign = apps.setup(other.registration, { installation_id: installation, state: opened.state });
    await refused(await opened.visitor.get(foreign), /belongs to another app/);
    await refused(
      await opened.visitor.get(foreign.replace(other.registration.id, 'nonsense')),
      /belongs to another app/,
    );
    await inVain();
  });

  it.each(['', 'x', '1'.repeat(21), '-1', '1.0', '../app'])('with the installation %j is refused', async (id) => {
    await refused(await opened.visitor.get(setup({ installation_id: id })), /named no installation/);
    await inVain();
  });

  it('with the installation of another app is refused, because the host does not know it as ours', async () => {
    const other = await apps.register();
    other.hosted.installations.set('4999', { login: 'victim', suspended: false });
    await refused(
      await opened.visitor.get(setup({ installation_id: '4999' })),
      /knows no such installation of this app/,
    );
    await refused(await opened.visitor.get(setup()), GONE);
    expect(await apps.connections('4999')).toEqual([]);
  });

  it('with an installation that the host answers with another one is refused', async () => {
    await refused(
      await opened.visitor.get(setup({ installation_id: `0${installation}` })),
      /knows no such installation/,
    );
    expect(await apps.connections(installation)).toEqual([]);
  });

  it('is good once, also with the cookie that was cleared', async () => {
    const cookie = [...opened.visitor.cookies].map((pair) => pair.join('=')).join('; ');
    expect((await opened.visitor.get(setup())).status).toBe(200);
    const asked = apps.bench.host.requests.length;
    await refused(await apps.visitor().get(setup(), { cookie }), GONE);
    expect((await opened.visitor.get(setup())).status).toBe(200);
    expect(apps.bench.host.requests).toHaveLength(asked);
  });

  it('after its hour is refused', async () => {
    await apps.expire(app.registration);
    await refused(await opened.visitor.get(setup()), GONE);
    expect(await apps.connections(installation)).toEqual([]);
  });

  it('from a host that fails connects nothing', async () => {
    apps.bench.rest.failWith = 503;
    await refused(await opened.visitor.get(setup()), /did not answer as it should/);
    expect(await apps.connections(installation)).toEqual([]);
  });

  it('to a connection that was revoked revives nothing', async () => {
    expect((await opened.visitor.get(setup())).status).toBe(200);
    const [{ id } = { id: '' }] = await apps.connections(installation);
    await apps.bench.api.post(`/v1/connections/${id}/revoke`);
    opened = await apps.openInstall(app);
    await refused(await opened.visitor.get(setup()), /was revoked\.[^]*approves it to revive it/);
    expect(await apps.connections(installation)).toEqual([{ id, status: 'revoked' }]);
  });

  it('to a registration that was revoked meanwhile connects nothing', async () => {
    const own = await apps.register();
    const { visitor, state } = await apps.openInstall(own);
    own.hosted.installations.set('5001', { login: 'acme', suspended: false });
    await apps.post(`${own.registration.id}/revoke`);
    apps.bench.host.requests.length = 0;
    const address = apps.setup(own.registration, { installation_id: '5001', state });
    await refused(await visitor.get(address), /registration of this app was revoked/);
    expect([apps.bench.host.requests, await apps.connections('5001')]).toEqual([[], []]);
  });
});
