import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { as } from '../../support/codehost/codehost-bench.js';
import { AppsBench } from '../../support/codehost/apps-bench.js';
import { startBrowser } from '../../support/oauth/browser.js';
import { heading } from '../../support/oauth/consent-pages.js';
import { lostCallback } from '../../support/oauth/lost-callback.js';
import { publicDoor, type PublicDoor } from '../../support/oauth/public-door.js';

let door: PublicDoor;
let apps: AppsBench;
let browser: Browser;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  door = await publicDoor();
  [apps, browser] = await Promise.all([AppsBench.start({ SERVICE_PUBLIC_URL: door.url }), startBrowser()]);
  door.leadTo(apps.bench.api.url);
}, 300_000);
afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
afterAll(async () => {
  await browser?.close();
  await apps?.close();
  door.close();
  door.server.close();
});

/** Somebody with a browser of their own, who trusts the code host. */
async function person(): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

const main = (page: Page): Promise<string> => page.locator('main').innerText();
const click = (page: Page, name: RegExp): Promise<void> => page.getByRole('button', { name }).click();
const flowCookies = async (page: Page) =>
  (await page.context().cookies()).filter(({ name }) => name.startsWith('svc_gh_'));

/** Up to the page of the code host that asks whether the app shall be made. */
async function toTheHost(page: Page, goUrl: string): Promise<void> {
  await page.goto(goUrl);
  await click(page, /^Continue to localhost/);
  await page.getByRole('button', { name: /^Create GitHub App/ }).waitFor();
}

describe('an app in a real browser', () => {
  it('is registered, installed, approved, suspended and revoked', async () => {
    const { registration, go_url: goUrl } = await apps.startManifest({ organization: 'acme' });
    const page = await person();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(goUrl);
    expect(await heading(page)).toBe('Register an app at the code host');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.getByRole('term').allInnerTexts()).toEqual(['Code host', 'Owner of the app', 'Name']);
    expect(await flowCookies(page)).toMatchObject([
      { httpOnly: true, sameSite: 'Lax', path: '/v1/codehost/app', secure: false },
    ]);
    // The keyboard alone is enough.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await click(page, /^Create GitHub App for acme/);
    await page.getByRole('heading', { name: 'App registered' }).waitFor();
    expect(await flowCookies(page)).toEqual([]);
    expect(apps.bench.pages.manifests.at(-1)).toMatchObject({
      organization: 'acme',
      manifest: { public: false, setup_url: `${door.url}/v1/codehost/app/${registration.id}/setup` },
    });

    await page.getByRole('link', { name: /^Install sandgate-127-0-0-1/ }).click();
    await click(page, /^Install$/);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(await main(page)).toMatch(/→ acme is connected/);
    expect(await flowCookies(page)).toEqual([]);
    expect(complaints.filter((text) => /security policy/i.test(text))).toEqual([]);

    await throughItsLife(registration.id);
  }, 300_000);

  it('a link that was opened in one browser is of no use in another, nor a second time in the first', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const [first, second] = [await person(), await person()];
    await toTheHost(first, goUrl);
    for (const page of [second, first]) {
      await page.goto(goUrl);
      expect([await heading(page), await main(page)]).toEqual([
        'Connection failed',
        expect.stringContaining('was already used, or was opened in another browser'),
      ]);
    }
  }, 300_000);

  it('a stolen return from the host finishes nothing in the browser of a thief, and still does in the right one', async () => {
    const { registration, go_url: goUrl } = await apps.startManifest();
    const own = await apps.startManifest();
    const [victim, thief] = [await person(), await person()];
    await toTheHost(victim, goUrl);
    // The thief has a flow of their own, and so a cookie.
    await toTheHost(thief, own.go_url);
    const { callback, nextTab } = await lostCallback(victim, door, () => click(victim, /^Create GitHub App/));
    door.leadTo(apps.bench.api.url);
    await thief.goto(callback);
    expect(await main(thief)).toContain('This browser did not open the link');
    await nextTab.goto(callback);
    expect(await heading(nextTab)).toBe('App registered');
    const statuses = new Map((await apps.list()).map(({ id, status }) => [id, status]));
    expect([statuses.get(registration.id), statuses.get(own.registration.id)]).toEqual(['active', 'pending']);
  }, 300_000);

  it('an installation that was made on the pages of the host alone is left to an administrator', async () => {
    const app = await apps.register();
    const page = await person();
    app.hosted.installations.set('6001', { login: 'acme', suspended: false });
    await page.goto(`${door.url}${apps.setup(app.registration, { installation_id: '6001' })}`);
    expect(await heading(page)).toBe('Nothing was changed here');
    expect(await apps.connections('6001')).toEqual([]);
    expect((await apps.sync(app)).synced).toMatchObject([{ installation_id: '6001', status: 'active' }]);
  }, 300_000);

  it('another site cannot frame the page, nor have its form sent elsewhere', async () => {
    const { go_url: goUrl } = await apps.startManifest();
    const page = await person();
    await page.route('http://elsewhere.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${goUrl}"></iframe>` }),
    );
    await page.goto('http://elsewhere.test/');
    await expect(page.frames()[1]?.waitForSelector('form', { timeout: 2000 })).rejects.toThrow();
    const again = await apps.startManifest();
    await page.goto(again.go_url);
    const violated = page.evaluate<string>(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      const form = document.querySelector('form');
      form.setAttribute('action', 'https://elsewhere.test/');
      form.submit();
    })`);
    expect(await violated).toBe('form-action');
  }, 300_000);
});

/** What becomes of the connection afterwards: approved again after a revocation, suspended, ended with its app. */
async function throughItsLife(registrationId: string): Promise<void> {
  const { api, admin, rest } = apps.bench;
  const hosted = rest.apps.at(-1);
  const [installation = ''] = hosted?.installations.keys() ?? [];
  const [{ id } = { id: '' }] = await apps.connections(installation);
  const post = async (what: string) =>
    (await api.post(`/v1/connections/${id}/${what}`, undefined, as(admin))).body.status;
  expect(await post('revoke')).toBe('revoked');
  expect(await post('approve')).toBe('active');
  hosted?.installations.set(installation, { login: 'acme', suspended: true });
  await apps.post(`${registrationId}/sync`);
  expect((await apps.connections(installation))[0]).toEqual({ id, status: 'suspended' });
  hosted?.installations.set(installation, { login: 'acme', suspended: false });
  expect(await post('approve')).toBe('active');
  const revoked = await apps.post(`${registrationId}/revoke`);
  expect(revoked.body).toEqual({ registration_id: registrationId, revoked_connections: [id] });
  expect((await apps.connections(installation))[0]).toEqual({ id, status: 'revoked' });
}
