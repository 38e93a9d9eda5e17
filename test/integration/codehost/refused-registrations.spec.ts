import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppsBench, type OpenedManifest } from '../../support/codehost/apps-bench.js';
import { bent, Forger, GONE, refusedFlow } from '../../support/codehost/refused-flow.js';

let apps: AppsBench;
let forger: Forger;
beforeAll(async () => {
  apps = await AppsBench.start();
  forger = new Forger(apps);
});
beforeEach(() => apps.bench.reset());
afterAll(() => apps?.close());

const bootOf = (goUrl: string): string => new URL(goUrl).searchParams.get('boot') ?? '';

describe('the link of a registration', () => {
  const go = (boot: string) => apps.visitor().get(`/v1/codehost/app/manifest/go?boot=${boot}`);

  it('is good for one visit, in whatever browser the second one is', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const visitor = apps.visitor();
    await visitor.openManifest(goUrl);
    await refusedFlow(await visitor.get(goUrl), GONE);
    await refusedFlow(await apps.visitor().get(goUrl), GONE);
  });

  it('of two visits at once one gets the form', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const answers = await Promise.all(Array.from({ length: 8 }, () => apps.visitor().get(goUrl)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is not used up by who only looks at where it leads', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    expect(await apps.visitor().look(goUrl)).toEqual([405, 'GET, OPTIONS']);
    await expect(apps.visitor().openManifest(goUrl)).resolves.toMatchObject({ state: expect.any(String) as unknown });
  });

  it.each<[string, (boot: string) => string | Promise<string>]>([
    ['no token', () => ''],
    ['a text of somebody else', () => 'AAAA'],
    ['an altered one', (boot) => bent(boot)],
    ['a cut one', (boot) => boot.slice(0, 40)],
    ['a very long one', (boot) => boot.repeat(20)],
    ['one that has expired', (boot) => forger.expired(boot)],
    ['the state in its place', (boot) => forger.alter(boot, { step: 'manifest' })],
    ['one that was sealed for another purpose', (boot) => forger.ofOtherPurpose(boot)],
    ['a flow of another registration', (boot) => forger.ofOtherRegistration(boot)],
    ['an unknown registration', (boot) => forger.alter(boot, { app: '01900000-0000-7000-8000-000000000000' })],
  ])('%s opens nothing', async (_what, alter) => {
    const { go_url: goUrl, registration } = await apps.startManifest();
    await refusedFlow(await go(await alter(bootOf(goUrl))), GONE);
    expect(await apps.openFlows(registration)).toBe(1);
    await apps.visitor().openManifest(goUrl);
  });

  it('opens nothing once its hour is over, or its registration revoked', async () => {
    const late = await apps.startManifest();
    await apps.expire(late.registration);
    await refusedFlow(await go(bootOf(late.go_url)), GONE);
    const gone = await apps.startManifest();
    await apps.post(`${gone.registration.id}/revoke`);
    await refusedFlow(await go(bootOf(gone.go_url)), GONE);
  });

  it('opens no installation, and that of an installation no registration', async () => {
    const app = await apps.register();
    const { go_url: goUrl } = await apps.startManifest();
    await refusedFlow(await apps.visitor().get(`/v1/codehost/app/install/go?boot=${bootOf(goUrl)}`), GONE);
    await refusedFlow(await go(bootOf(app.installUrl)), GONE);
    await apps.visitor().openInstall(app.installUrl);
    await refusedFlow(await apps.visitor().get(app.installUrl), GONE);
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
    await refusedFlow(answer, text);
    expect([apps.bench.host.requests.length, await status()]).toEqual([0, 'pending']);
    expect((await opened.visitor.get(apps.callback(opened.state))).status).toBe(200);
  }

  it('without the cookie finishes nothing and uses nothing up', async () => {
    await refusedInVain(await apps.visitor().get(apps.callback(opened.state)), /did not open the link/);
  });

  it('by HEAD finishes nothing and uses nothing up', async () => {
    expect(await opened.visitor.look(apps.callback(opened.state))).toEqual([405, 'GET, OPTIONS']);
    expect(apps.bench.host.requests).toEqual([]);
    expect((await opened.visitor.get(apps.callback(opened.state))).status).toBe(200);
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
    ['an altered state', (state) => bent(state)],
    ['a state that has expired', (state) => forger.expired(state)],
    ['the link in place of the state', (state) => forger.alter(state, { step: 'boot' })],
    ['the state of an installation', (state) => forger.alter(state, { step: 'install' })],
    ['a state for another registration', (state) => forger.ofOtherRegistration(state)],
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
    await refusedFlow(await apps.visitor().get(apps.callback(opened.state), { cookie }), GONE);
    expect(apps.bench.host.requests).toHaveLength(1);
  });

  it('after its hour is refused', async () => {
    await apps.expire(opened.registration);
    await refusedFlow(await opened.visitor.get(apps.callback(opened.state)), GONE);
    expect([apps.bench.host.requests.length, await status()]).toEqual([0, 'pending']);
  });

  it('with a code that the host does not know registers nothing, and the flow is over', async () => {
    const code = 'f'.repeat(40);
    await refusedFlow(await opened.visitor.get(apps.callback(opened.state, code)), /does not know this code/);
    await refusedFlow(await opened.visitor.get(apps.callback(opened.state)), GONE);
    expect(await status()).toBe('pending');
  });

  it('from a host that fails registers nothing', async () => {
    apps.bench.rest.failWith = 500;
    await refusedFlow(await opened.visitor.get(apps.callback(opened.state)), /did not answer as it should/);
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
    await refusedFlow(await opened.visitor.get(apps.callback(opened.state)), /did not answer as it should/);
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
    await refusedFlow(await opened.visitor.get(apps.callback(opened.state)), /finished or was revoked meanwhile/);
    host.interfere = [rest.serve, pages.serve];
    expect(await status()).toBe('revoked');
  });
});
