import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startApi, type TestApi } from '../../support/api/api.js';
import { startPeopleProvider, type PeopleProvider } from '../../support/identity/oidc-provider.js';
import { addOrganization, type SignInOrganization } from '../../support/identity/sign-in-bench.js';
import { startBrowser } from '../../support/oauth/browser.js';
import { lostCallback } from '../../support/oauth/lost-callback.js';
import { publicDoor, type PublicDoor } from '../../support/oauth/public-door.js';

let door: PublicDoor;
let api: TestApi;
let browser: Browser;
let providers: PeopleProvider[];
let acme: SignInOrganization;
let other: SignInOrganization;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  door = await publicDoor();
  [api, browser, ...providers] = await Promise.all([
    startApi({
      SERVICE_PUBLIC_URL: door.url,
      SERVICE_KMS_MODE: 'static',
      SERVICE_KMS_STATIC_KEK: randomBytes(32).toString('hex'),
    }),
    startBrowser(),
    startPeopleProvider(door.url),
    startPeopleProvider(door.url, { token_endpoint_auth_method: 'client_secret_post' }),
  ]);
  door.leadTo(api.url);
  const [first, second] = providers.map(({ url }) => url);
  acme = await addOrganization(api, first ?? '', { claim_mappings: { role_map: { ops: 'admin' } } });
  other = await addOrganization(api, second ?? '', { token_endpoint_auth: 'client_secret_post' });
}, 300_000);
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  await api.database.owner.query('delete from login_throttles');
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([api, ...(providers ?? [])].map((one) => one?.close()));
  door.close();
  door.server.close();
});

async function person(): Promise<Page> {
  const context = await browser.newContext();
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

/** From our page to the end of the provider's. */
async function signIn(page: Page, { slug }: SignInOrganization, login: string): Promise<void> {
  await page.goto(`${door.url}/v1/auth/login?redirect_to=/v1/auth/me`);
  await page.getByLabel('Organization').fill(slug);
  await page.getByRole('button', { name: 'Continue' }).click();
  await atProvider(page, login);
}

async function atProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  // Consent is asked for once.
  const consent = page.getByRole('button', { name: 'Continue', exact: true });
  const back = page.waitForURL(`${door.url}/**`);
  await Promise.race([back, consent.waitFor().catch(() => undefined)]);
  if (!page.url().startsWith(door.url)) await consent.click();
  await back;
}

interface Me {
  user_id?: string;
  org?: { slug: string };
  user?: { email?: string };
  roles?: string[];
  error?: string;
}

/** A page of ours that may ask the API, as the dashboard's will; those of the API itself may not. */
async function dashboard(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.route(`${door.url}/dashboard`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await tab.goto(`${door.url}/dashboard`);
  return tab;
}

async function me(page: Page): Promise<Me> {
  const tab = await dashboard(page);
  const said = await tab.evaluate(async () => (await fetch('/v1/auth/me')).json() as Promise<Me>);
  await tab.close();
  return said;
}

describe('signing in with a browser, at oidc-provider', () => {
  it('CP-266 CP-280 a person enters the organization, signs in there, and is who the provider says, with the role of their group', async () => {
    providers[0]?.people.set('grace', { groups: ['ops'] });
    const page = await person();
    await signIn(page, acme, 'grace');
    expect(new URL(page.url()).pathname).toBe('/v1/auth/me');
    expect(await me(page)).toMatchObject({
      org: { slug: acme.slug },
      user: { email: 'grace@example.org' },
      roles: ['admin'],
    });
    // The provider of the test is on the same host, and cookies know no ports.
    const cookies = (await page.context().cookies(door.url)).filter(({ name }) => !name.startsWith('_session'));
    expect(cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }))).toEqual([
      { name: '__Host-svc_web', httpOnly: true, secure: true, sameSite: 'Lax' },
    ]);
  }, 300_000);

  it('CP-282 another organization asks before it replaces the session; leaving the page keeps it, the button switches', async () => {
    const page = await person();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await signIn(page, acme, 'ada');
    await signIn(page, other, 'eve');
    await page.getByRole('heading', { name: 'Switch accounts?' }).waitFor();
    expect(await page.getByRole('definition').allInnerTexts()).toEqual([
      `ada@example.org (${acme.slug})`,
      `eve@example.org (${other.slug})`,
    ]);
    const tab = await page.context().newPage();
    await tab.goto(`${door.url}/v1/auth/me`);
    expect((await me(tab)).org?.slug).toBe(acme.slug);
    await page.getByRole('button', { name: 'Switch to eve@example.org' }).click();
    await page.waitForURL(`${door.url}/v1/auth/me`);
    expect(await me(tab)).toMatchObject({ org: { slug: other.slug }, user: { email: 'eve@example.org' } });
    expect(complaints.filter((text) => /security policy/i.test(text))).toEqual([]);
  }, 300_000);

  it('CP-282 a switch that came too late says so on its page', async () => {
    const page = await person();
    await signIn(page, acme, 'ada');
    await signIn(page, other, 'eve');
    await page.getByRole('heading', { name: 'Switch accounts?' }).waitFor();
    await api.database.owner.query('update pending_login_switches set expires_at = now()');
    await page.getByRole('button').click();
    await page.getByRole('status').filter({ hasText: 'has expired' }).waitFor();
    expect((await me(page)).org?.slug).toBe(acme.slug);
  }, 300_000);

  it('CP-281 a stolen callback is of no use in another browser', async () => {
    const [victim, thief] = [await person(), await person()];
    await victim.goto(`${door.url}/v1/auth/login/${acme.slug}/start?redirect_to=/v1/auth/me`);
    await victim.locator('input[name=login]').fill('ada');
    await victim.locator('input[name=password]').fill('any');
    await victim.getByRole('button', { name: 'Sign-in' }).click();
    const { callback, nextTab } = await lostCallback(victim, door, () =>
      victim.getByRole('button', { name: 'Continue', exact: true }).click(),
    );
    door.leadTo(api.url);
    await thief.goto(callback);
    expect(await thief.locator('main').innerText()).toContain('This browser did not begin the sign-in');
    await nextTab.goto(callback);
    expect((await me(victim)).user?.email).toBe('ada@example.org');
  }, 300_000);

  it('CP-280 somebody who declines comes back to a page that says so', async () => {
    const page = await person();
    await page.goto(`${door.url}/v1/auth/login/${acme.slug}/start`);
    await page.getByRole('link', { name: /cancel/i }).click();
    await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('access_denied');
  }, 300_000);
});
