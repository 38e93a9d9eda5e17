import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppsBench, type OpenedInstall, type RegisteredApp } from '../../support/codehost/apps-bench.js';
import { Forger, GONE, refusedFlow } from '../../support/codehost/refused-flow.js';

let apps: AppsBench;
let forger: Forger;
beforeAll(async () => {
  apps = await AppsBench.start();
  forger = new Forger(apps);
});
beforeEach(() => apps.bench.reset());
afterAll(() => apps?.close());

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
    ['a state that has expired', (state) => forger.expired(state)],
    ['the state of a registration', (state) => forger.alter(state, { step: 'manifest' })],
    ['the link in place of the state', (state) => forger.alter(state, { step: 'boot' })],
  ])('with %s changes nothing, asks nobody, and says how to go on', async (_what, alter) => {
    await guided(await opened.visitor.get(setup({ state: await alter(opened.state) })));
  });

  it('without the cookie changes nothing, asks nobody, and says how to go on', async () => {
    await guided(await apps.visitor().get(setup()));
  });

  it('by HEAD changes nothing and asks nobody, as its link does', async () => {
    expect(await opened.visitor.look(setup())).toEqual([405, 'GET, OPTIONS']);
    expect(await opened.visitor.look(app.installUrl)).toEqual([405, 'GET, OPTIONS']);
    await inVain();
  });

  it('with a stolen state in a browser with a flow of its own changes nothing', async () => {
    const { visitor } = await apps.openInstall(app);
    await guided(await visitor.get(setup()));
  });

  it('with a cookie that was made up is refused', async () => {
    const [name = ''] = opened.visitor.cookies.keys();
    await refusedFlow(await apps.visitor().get(setup(), { cookie: `${name}=${'A'.repeat(43)}` }), GONE);
    await inVain();
  });

  it('to the address of another registration is refused', async () => {
    const other = await apps.register();
    apps.bench.host.requests.length = 0;
    const foreign = apps.setup(other.registration, { installation_id: installation, state: opened.state });
    await refusedFlow(await opened.visitor.get(foreign), /belongs to another app/);
    await refusedFlow(
      await opened.visitor.get(foreign.replace(other.registration.id, 'nonsense')),
      /belongs to another app/,
    );
    await inVain();
  });

  it.each(['', 'x', '1'.repeat(21), '-1', '1.0', '../app'])('with the installation %j is refused', async (id) => {
    await refusedFlow(await opened.visitor.get(setup({ installation_id: id })), /named no installation/);
    await inVain();
  });

  it('with the installation of another app is refused, because the host does not know it as ours', async () => {
    const other = await apps.register();
    other.hosted.installations.set('4999', { login: 'victim', suspended: false });
    await refusedFlow(
      await opened.visitor.get(setup({ installation_id: '4999' })),
      /knows no such installation of this app/,
    );
    await refusedFlow(await opened.visitor.get(setup()), GONE);
    expect(await apps.connections('4999')).toEqual([]);
  });

  it('with an installation that the host answers with another one is refused', async () => {
    await refusedFlow(
      await opened.visitor.get(setup({ installation_id: `0${installation}` })),
      /knows no such installation/,
    );
    expect(await apps.connections(installation)).toEqual([]);
  });

  it('is good once, also with the cookie that was cleared', async () => {
    const cookie = [...opened.visitor.cookies].map((pair) => pair.join('=')).join('; ');
    expect((await opened.visitor.get(setup())).status).toBe(200);
    const asked = apps.bench.host.requests.length;
    await refusedFlow(await apps.visitor().get(setup(), { cookie }), GONE);
    expect((await opened.visitor.get(setup())).status).toBe(200);
    expect(apps.bench.host.requests).toHaveLength(asked);
  });

  it('after its hour is refused', async () => {
    await apps.expire(app.registration);
    await refusedFlow(await opened.visitor.get(setup()), GONE);
    expect(await apps.connections(installation)).toEqual([]);
  });

  it('from a host that fails connects nothing', async () => {
    apps.bench.rest.failWith = 503;
    await refusedFlow(await opened.visitor.get(setup()), /did not answer as it should/);
    expect(await apps.connections(installation)).toEqual([]);
  });

  it('to a connection that was revoked revives nothing', async () => {
    expect((await opened.visitor.get(setup())).status).toBe(200);
    const [{ id } = { id: '' }] = await apps.connections(installation);
    await apps.bench.api.post(`/v1/connections/${id}/revoke`);
    opened = await apps.openInstall(app);
    await refusedFlow(await opened.visitor.get(setup()), /was revoked\.[^]*approves it to revive it/);
    expect(await apps.connections(installation)).toEqual([{ id, status: 'revoked' }]);
  });

  it('to a registration that was revoked meanwhile connects nothing', async () => {
    const own = await apps.register();
    const { visitor, state } = await apps.openInstall(own);
    own.hosted.installations.set('5001', { login: 'acme', suspended: false });
    await apps.post(`${own.registration.id}/revoke`);
    apps.bench.host.requests.length = 0;
    const address = apps.setup(own.registration, { installation_id: '5001', state });
    await refusedFlow(await visitor.get(address), /registration of this app was revoked/);
    expect([apps.bench.host.requests, await apps.connections('5001')]).toEqual([[], []]);
  });
});
