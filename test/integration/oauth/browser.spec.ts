import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { v7 as uuidv7 } from 'uuid';
import { canonicalResource } from '../../../src/domain/connections/canonical-resource.js';
import type { ConnectionRecord } from '../../../src/domain/connections/connection.js';
import { ConnectionCredentials } from '../../../src/core/connections/connection-credentials.js';
import { ConnectionRecords } from '../../../src/core/connections/connection-records.js';
import { AccessTokens } from '../../../src/core/oauth/access-tokens.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { startRealServer, type RealServer } from '../../support/mcp/real-servers.js';
import { startBrowser } from '../../support/oauth/browser.js';
import { startOidcServer, type OidcServer } from '../../support/oauth/oidc-server.js';
import { protect, type ProtectedMcp } from '../../support/oauth/protected-mcp.js';
import { staleness, startBoundRun } from '../../support/oauth/bound-run.js';
import { consent, heading, leave, signIn } from '../../support/oauth/consent-pages.js';
import { otherProcess } from '../../support/oauth/other-process.js';
import { lostCallback } from '../../support/oauth/lost-callback.js';
import { publicDoor, type PublicDoor } from '../../support/oauth/public-door.js';

let api: TestApi;
let door: PublicDoor;
let browser: Browser;
let everything: RealServer;
let issuer: OidcServer;
let otherIssuer: OidcServer;
let mcp: ProtectedMcp;
let otherMcp: ProtectedMcp;
let records: ConnectionRecords;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  door = await publicDoor();
  [api, browser, everything, issuer, otherIssuer] = await Promise.all([
    startApi({
      SERVICE_PUBLIC_URL: door.url,
      SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      SERVICE_KMS_MODE: 'static',
      SERVICE_KMS_STATIC_KEK: randomBytes(32).toString('hex'),
    }),
    startBrowser(),
    startRealServer('everything'),
    startOidcServer(),
    startOidcServer(),
  ]);
  door.leadTo(api.url);
  [mcp, otherMcp] = await Promise.all([protect(everything.url, issuer), protect(everything.url, otherIssuer)]);
  records = new ConnectionRecords(api.db);
}, 300_000);
afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
afterAll(async () => {
  await browser?.close();
  await Promise.all([api, everything, issuer, otherIssuer, mcp, otherMcp].map((one) => one?.close()));
  door.server.close();
});

async function person(): Promise<Page> {
  const context = await browser.newContext();
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  return page;
}

function connection(to: ProtectedMcp = mcp): Promise<ConnectionRecord> {
  const url = to.endpoint;
  return records.insert(api.organizationId, {
    id: uuidv7(),
    provider: 'mcp_http',
    external_account_id: new URL(url).host,
    display_name: 'Everything',
    status: 'pending',
    auth_kind: 'oauth',
    owner_type: 'organization',
    owner_user_id: null,
    created_by_user_id: null,
    metadata: { base_url: url, endpoint_url: url },
    oauth: { resource: canonicalResource(url), scopes: ['read'], pending_snapshot: { url } },
  });
}

async function goUrl(id: string): Promise<string> {
  const started = await api.post(`/v1/connections/${id}/oauth/start`);
  expect([started.status, started.body.error]).toEqual([200, undefined]);
  return (started.body as unknown as { go_url: string }).go_url;
}

async function statusOf(id: string): Promise<string> {
  return (await records.read(api.organizationId, id))?.status ?? 'gone';
}

describe('connecting in a real browser, at a real authorization server', () => {
  it('CP-152 CP-153 connects, uses, refreshes once for twenty calls in two processes, and a reconnect stales older runs', async () => {
    const { id } = await connection();
    const page = await person();
    const url = await goUrl(id);
    await page.goto(url);
    expect(await heading(page)).toBe('Connect Everything');
    const text = await page.locator('main').innerText();
    for (const named of ['default', new URL(mcp.url).host, new URL(issuer.url).host, 'the operator of this Sandgate']) {
      expect(text).toContain(named);
    }
    await page.getByRole('button', { name: /^Continue to / }).click();
    await signIn(page);
    await consent(page);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(await page.locator('main').innerText()).toMatch(/snapshotted \d+ tool\(s\) \(v1\)/);
    expect((await page.context().cookies()).filter(({ name }) => name.startsWith('__Host-svc'))).toEqual([]);
    expect(await statusOf(id)).toBe('active');

    const run = await startBoundRun(api, mcp.endpoint);
    expect(await staleness(api, run)).toBeNull();

    await refreshInTwoProcesses(id);

    // Still signed in there, so only the question is left.
    await leave(page, await goUrl(id));
    await consent(page);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect((await records.read(api.organizationId, id))?.authorization_generation).toBe(2);
    expect(await staleness(api, run)).toMatch(/reauthorized after this run started/);
    await expect(
      api.app
        .get(ConnectionCredentials)
        .headersFor({ organizationId: api.organizationId, connectionId: id, generation: 1 }),
    ).rejects.toMatchObject({ code: 'conflict' });
  }, 300_000);

  it('CP-308 of two flows in two browsers the one that ends first counts; the other says that it was superseded', async () => {
    const { id } = await connection();
    const [first, second] = [await person(), await person()];
    const urls = [await goUrl(id), await goUrl(id)] as const;
    await leave(first, urls[0]);
    await signIn(first);
    await leave(second, urls[1]);
    await signIn(second);
    await consent(second);
    await second.getByRole('heading', { name: 'Connected' }).waitFor();
    await consent(first);
    await first.getByRole('heading', { name: 'Connection failed' }).waitFor();
    expect(await first.locator('main').innerText()).toContain('superseded by a newer one; restart the connect flow');
    expect(await statusOf(id)).toBe('active');
  }, 300_000);

  it('CP-259 a stolen callback is of no use in another browser, and still good in the right one', async () => {
    const { id } = await connection();
    const [victim, thief] = [await person(), await person()];
    await leave(victim, await goUrl(id));
    await signIn(victim);
    const { callback, nextTab } = await lostCallback(victim, door, () => consent(victim));
    door.leadTo(api.url);
    await thief.goto(callback);
    expect([await heading(thief), await thief.locator('main').innerText()]).toEqual([
      'Connection failed',
      expect.stringContaining('This browser did not start the connect flow'),
    ]);
    // One with a flow of its own is another browser as well.
    const { id: own } = await connection();
    await leave(thief, await goUrl(own));
    await thief.locator('input[name=login]').waitFor();
    await thief.goto(callback);
    expect(await thief.locator('main').innerText()).toContain('was not started by this browser');
    expect(await statusOf(id)).toBe('pending');
    await nextTab.goto(callback);
    expect(await heading(nextTab)).toBe('Connected');
  }, 300_000);

  it('a forwarded link belongs to the first browser in which somebody clicked', async () => {
    const { id } = await connection();
    const [first, second] = [await person(), await person()];
    const url = await goUrl(id);
    await second.goto(url);
    await leave(first, url);
    await first.locator('input[name=login]').waitFor();
    await second.getByRole('button', { name: /^Continue to / }).click();
    await second.getByRole('heading', { name: 'Connection failed' }).waitFor();
    expect(await second.locator('main').innerText()).toContain('already used in another browser');
    await signIn(first);
    await consent(first);
    await first.getByRole('heading', { name: 'Connected' }).waitFor();
  }, 300_000);

  it('the page can be read and used by anybody: its language, one heading, names for its facts, the keyboard alone', async () => {
    const { id } = await connection();
    const page = await person();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(await goUrl(id));
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.title()).toBe('Connect Everything · Sandgate');
    expect(await page.getByRole('heading').count()).toBe(1);
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.getByRole('term').allInnerTexts()).toEqual([
      'Organization',
      'Connection',
      'Server',
      'Sign-in at',
      'Asked for by',
      'Access asked for',
    ]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('input[name=login]').waitFor();
    // Nothing of the page met its own content security policy.
    expect(complaints.filter((text) => /security policy/i.test(text))).toEqual([]);
  }, 300_000);

  it('another site cannot click: neither by a link nor by a form', async () => {
    const { id } = await connection();
    const page = await person();
    const url = await goUrl(id);
    await page.goto(url);
    const token = new URL(url).searchParams.get('f') ?? '';
    const form = `<form method="post" action="${door.url}/v1/oauth/go"><input name="f" value="${token}"><button>x</button></form>`;
    await page.route('http://elsewhere.test/', (route) => route.fulfill({ contentType: 'text/html', body: form }));
    await page.goto('http://elsewhere.test/');
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Connection failed' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('not opened in this browser before');
    expect(issuer.granted.length).toBeGreaterThan(0);
    expect(await statusOf(id)).toBe('pending');
  }, 300_000);

  it('consent that is denied connects nothing, and says so', async () => {
    const { id } = await connection();
    const page = await person();
    await leave(page, await goUrl(id));
    await page.getByRole('link', { name: /cancel/i }).click();
    await page.getByRole('heading', { name: 'Connection failed' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('did not grant access');
    expect(await statusOf(id)).toBe('pending');
  }, 300_000);

  it('an answer after ten minutes is too late', async () => {
    const { id } = await connection();
    const page = await person();
    await leave(page, await goUrl(id));
    await signIn(page);
    await api.database.owner.query('update connector_oauth_flows set expires_at = now() where connection_id = $1', [
      id,
    ]);
    await consent(page);
    await page.getByRole('heading', { name: 'Connection failed' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('has expired or was already used');
    expect(await statusOf(id)).toBe('pending');
  }, 300_000);

  it('an answer of one authorization server is never taken for one of another (mix-up)', async () => {
    const { id: honest } = await connection(mcp);
    const { id: attacked } = await connection(otherMcp);
    const page = await person();
    // The attacker's server sends the browser on to the honest one, with the state of the attacker's flow.
    await leave(page, await goUrl(honest));
    await page.locator('input[name=login]').waitFor();
    await page.goto(await goUrl(attacked));
    const sent = page.waitForRequest((request) => request.url().startsWith(`${otherIssuer.url}/auth`));
    await page.getByRole('button', { name: /^Continue to / }).click();
    const asked = new URL((await sent).url());
    await page.locator('input[name=login]').waitFor();
    const mixed = new URL(`${issuer.url}/auth`);
    for (const [name, value] of asked.searchParams) mixed.searchParams.set(name, value);
    mixed.searchParams.set('resource', mcp.endpoint);
    mixed.searchParams.set('client_id', (await records.read(api.organizationId, honest))?.oauth?.client_id ?? '');
    const before = [issuer.granted.length, otherIssuer.granted.length];
    await page.goto(mixed.href);
    await signIn(page);
    await consent(page);
    await page.getByRole('heading', { name: 'Connection failed' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(
      'did not come from the authorization server that was asked',
    );
    expect([issuer.granted.length, otherIssuer.granted.length]).toEqual(before);
    expect([await statusOf(honest), await statusOf(attacked)]).toEqual(['pending', 'pending']);
  }, 300_000);
});

async function refreshInTwoProcesses(id: string): Promise<void> {
  const other = await otherProcess(api);
  const processes = [api.app.get(AccessTokens), other.tokens] as const;
  const old = await processes[0].get(api.organizationId, id, 1);
  const before = issuer.granted.length;
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const one = processes[n % 2 === 0 ? 0 : 1];
      one.reject(id, 1, old);
      return one.get(api.organizationId, id, 1);
    }),
  );
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).not.toBe(old);
  expect(issuer.granted.slice(before)).toEqual(['refresh_token']);
  const used = await api.post(`/v1/connections/${id}/tools/refresh`);
  expect([used.status, mcp.tokens.at(-1)]).toEqual([200, tokens[0]]);
  await other.close();
}
