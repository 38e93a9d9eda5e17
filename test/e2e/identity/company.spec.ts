import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { PROVIDERS, type Companies } from '../../support/identity/companies.js';
import { blocksOf, variablesOf } from '../../support/identity/company-page.js';
import { Person, type FollowedStream } from '../../support/identity/person.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { startBrowser } from '../../support/oauth/browser.js';
import { until } from '../../support/time/until.js';
import { Shell } from '../../support/triggers/recipe-page.js';
import { StartedSandgate, temporaryStateFolder } from '../../support/installation/started-sandgate.js';

jest.setTimeout(300_000);

/** What the page names where others have their own. */
const PLACE = '127.0.0.1:8787';
const REALM = /http:\/\/127\.0\.0\.1:8080\/realms\/([\w-]+)/g;
const KEYCLOAK = 'http://127.0.0.1:8080';
/** Streams are asked about once a minute; the rest is for a busy machine. */
const CLOSED_WITHIN_MS = 60_000 + 5_000;
/** Keycloak with the campaign; it is no part of what `npm test` brings. */
const KINDS =
  process.env['TEST_KEYCLOAK'] === '1' ? (['oidc-provider', 'Keycloak'] as const) : ['oidc-provider' as const];
/** Waits at a question for a person, so its stream stays open. */
const WAITING_TASK = '[{"tool":"Bash","input":{"command":"./deploy.sh"}}]';

describe.each(KINDS)('a company is set up as docs/identity.md says, at %s', (kind) => {
  const folder = temporaryStateFolder();
  const dataDir = join(folder, 'state');
  const people: Person[] = [];
  let companies: Companies;
  let sandgate: StartedSandgate;
  let browser: Browser;
  let shell: Shell;
  let host: string;
  let ada: Person;
  let ben: Person;
  /** Of a member of Globex, of before its provider was replaced. */
  let former: string;

  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    const [port] = await freePorts(1);
    host = `127.0.0.1:${port}`;
    [browser, companies, sandgate] = await Promise.all([
      startBrowser(),
      PROVIDERS[kind](folder, `http://${host}`),
      StartedSandgate.start(dataDir, environment()),
    ]);
    shell = new Shell(folder, { HOME: folder, SERVICE_DATA_DIR: dataDir, ...companies.env });
    [ada, ben] = [await person(), await person()];
  });
  afterAll(async () => {
    await Promise.all(people.map((one) => one.close()));
    await browser?.close();
    await sandgate?.stop();
    await companies?.stop();
    execFileSync(process.execPath, [resolve('dist/cli/main.js'), '--data-dir', dataDir, 'clean', '--yes']);
    await removeTree(folder);
  });

  /** Each browser has an address of its own, so that nobody uses up the tries of others. */
  function environment(): Record<string, string> {
    return { SERVICE_BIND: host, SERVICE_TRUST_FORWARDED_FOR: '1' };
  }

  async function person(): Promise<Person> {
    const one = await Person.with(browser, { ours: `http://${host}`, companies });
    people.push(one);
    return one;
  }

  function here(block: string): string {
    return block
      .replaceAll(REALM, (_all, realm: string) => companies.issuer(realm))
      .replaceAll(KEYCLOAK, companies.url)
      .replaceAll(PLACE, host);
  }

  async function follow(block: string): Promise<string> {
    const { code, stdout, stderr } = await shell.run(here(block));
    expect([block, code, stderr]).toEqual([block, 0, expect.not.stringMatching(/error/i)]);
    return stdout;
  }

  /** A command of Ada's, whose login is one of the contexts of this machine. */
  const asAda = (words: string): Promise<string> => follow(`sandgate --context ${PLACE} ${words}`);

  /** The line of a block that holds these words. */
  function lineOf(block: string, words: string): string {
    const line = block.split('\n').find((one) => one.includes(words));
    if (line === undefined) throw new Error(`the page does not say ${words}`);
    return line;
  }

  it('CP-268 the first owner comes by break-glass', async () => {
    expect(await follow(blocksOf('1.')[1]!)).toMatch(/ORG[^]*default +active/);
    await follow(blocksOf('2.')[1]!);
    expect(await follow(blocksOf('3.')[0]!)).toMatch(/\(generation 1\) is staged[^]*\(generation 1\) is active/);
    const [arm = '', look = ''] = blocksOf('4.');
    expect(await follow(arm)).toContain('becomes owner');
    await ada.signIn('acme', 'ada');
    expect(await ada.me()).toMatchObject({
      org: { slug: 'acme' },
      user: { email: 'ada@acme.example' },
      roles: ['admin', 'owner'],
    });
    expect(await follow(look)).toMatch(/ada@acme\.example[^]*admin, owner[^]*bootstrap_owner\.promote/);
  });

  it('CP-280 a group is a role, at each login anew', async () => {
    await ben.signIn('acme', 'ben');
    expect((await ben.me()).roles).toEqual(['approver']);
  });

  it('CP-281 two tabs sign in beside each other to one session, and going back starts nothing anew', async () => {
    const carl = await person();
    const tab = await carl.tab();
    for (const one of [carl.page, tab]) await carl.begin('acme', one);
    await carl.enter(carl.page, 'ben', 'acme');
    const { user_id: id } = await carl.me();
    await carl.begin('acme', tab);
    await carl.enter(tab, 'ben', 'acme');
    await carl.page.goBack();
    await carl.page.goForward();
    expect(await carl.me()).toMatchObject({ user_id: id, org: { slug: 'acme' } });
    const sessions = await follow('sandgate admin members sessions acme ben@acme.example -o json');
    // That of his own browser, and this one's.
    expect(JSON.parse(sessions)).toHaveLength(2);
  });

  it('CP-266 CP-275 a terminal without a browser signs in', async () => {
    const [login = '', commands = '', back = ''] = blocksOf('6.');
    const waiting = shell.start(here(login));
    const said = await until(waiting.said, (text) => text.includes('Waiting for you'));
    const [, address = '', code = ''] = /^ {2}(http\S+)\n[^]*type the code {2}(\S+)/m.exec(said) ?? [];
    await ada.page.goto(address);
    await ada.page.getByLabel('Code of your terminal').fill(code);
    await ada.page.getByRole('button', { name: 'Continue' }).click();
    await ada.page.getByRole('button', { name: 'Approve' }).click();
    await ada.page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect(await waiting.outcome).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ada@acme.example') as unknown,
    });
    expect(await follow(commands)).toMatch(
      /ada@acme\.example[^]*ben@acme\.example[^]*is active: admin[^]*member\.roles/,
    );
    expect((await ben.me()).roles).toEqual(['admin']);
    await follow(back);
    await ben.signIn('acme', 'ben');
    expect((await ben.me()).roles).toEqual(['approver']);
  });

  it('CP-282 a second organization asks before it replaces the session, and sees nothing of the first', async () => {
    await follow(blocksOf('7.')[0]!);
    await ada.signIn('globex', 'ada');
    await ada.page.getByRole('heading', { name: 'Switch accounts?' }).waitFor();
    expect((await ada.me()).org?.slug).toBe('acme');
    await ada.page.getByRole('button', { name: /^Switch to / }).click();
    await ada.page.waitForURL('**/v1/auth/me');
    expect(await ada.me()).toMatchObject({ org: { slug: 'globex' }, roles: ['admin', 'owner'] });
    const { text } = await ada.ask('GET', '/v1/org/members');
    expect(text).toContain('ada@globex.example');
    expect(text).not.toContain('acme');
  });

  it('CP-266 after signing out, here and at the provider, going back shows nothing', async () => {
    former = (JSON.parse((await ada.ask('POST', '/v1/auth/tokens', { name: 'former' })).text) as { token: string })
      .token;
    const { status, endSession } = await ada.ask('POST', '/v1/auth/logout');
    expect(status).toBe(204);
    await ada.page.goBack();
    await ada.page.goto(`http://${host}/v1/auth/me`);
    expect((await ada.me()).error).toBe('unauthorized');
    await ada.page.goto(endSession ?? '');
    await companies.leave(ada.page);
    await ada.begin('globex');
    await companies.asksForName(ada.page);
  });

  it('CP-054 CP-055 the admin token is confined, while sessions and tokens of people live on', async () => {
    const [start = ''] = blocksOf('8.');
    expect(variablesOf(start)).toEqual({ SERVICE_REQUIRE_SSO: '1' });
    expect(await follow('sandgate runs')).toContain('No runs');
    await sandgate.stop();
    sandgate = await StartedSandgate.start(dataDir, { ...environment(), ...variablesOf(start) });
    expect(await follow('sandgate admin orgs')).toMatch(/acme[^]*globex/);
    expect((await shell.run('sandgate runs')).code).toBe(4);
    expect(await asAda('whoami')).toContain('ada@acme.example');
    expect((await ben.me()).org?.slug).toBe('acme');
  });

  it('CP-269 CP-283 who is deactivated is out at once, and an open stream is closed within a minute', async () => {
    const [block = ''] = blocksOf('Day by day');
    await follow(lineOf(block, 'members roles'));
    expect((await ben.me()).roles).toEqual(['member', 'approver']);
    expect(await follow(lineOf(block, 'members sessions'))).toContain('ben@acme.example');
    await follow(lineOf(block, 'sign-out'));
    expect((await ben.me()).error).toBe('unauthorized');
    await ben.signIn('acme', 'ben');
    const { token } = JSON.parse((await ben.ask('POST', '/v1/auth/tokens', { name: 'his' })).text) as { token: string };
    const stream = await streamOf(ben);

    await follow(lineOf(block, 'deactivate'));
    const since = Date.now();
    expect((await ben.me()).error).toBe('unauthorized');
    expect((await as(token)).status).toBe(401);
    await ben.signIn('acme', 'ben');
    expect(await ben.page.locator('main').innerText()).toContain('is not active');
    const closed = await until(stream.closedAt, (at) => at !== null);
    expect((closed ?? Infinity) - since).toBeLessThan(CLOSED_WITHIN_MS);

    await follow(lineOf(block, 'reactivate'));
    await ben.signIn('acme', 'ben');
    expect((await ben.me()).roles).toEqual(['approver']);
    expect((await as(token)).status).toBe(401);
    await follow(lineOf(block, 'suspend'));
    expect((await as(former)).status).toBe(401);
    await ada.begin('globex');
    expect(ada.page.url()).toContain('/login?error=unavailable');
    await follow(lineOf(block, 'resume'));
    expect((await as(former)).status).toBe(200);
    expect(await follow(lineOf(block, 'audit --org'))).toMatch(/login\.refused_deactivated/);
    expect(await follow(lineOf(block, 'audit --refused'))).toContain('login.refused_deactivated');
  });

  it('CP-269 another issuer, carried forward: members and tokens stay, sessions end, who comes is new', async () => {
    const [migrate = '', promote = ''] = blocksOf('Another provider');
    expect(await follow(migrate)).toMatch(/1 browser session ended, 0 members deactivated|sessions ended, 0 members/);
    expect((await ben.me()).error).toBe('unauthorized');
    const old = JSON.parse(await asAda('whoami -o json')) as { user_id: string };
    await ada.signIn('acme', 'ada');
    const { user_id: id, roles } = await ada.me();
    expect([id === old.user_id, roles]).toEqual([false, ['admin']]);
    const members = JSON.parse(await asAda('org members list -o json')) as { user_id: string; membership_id: string }[];
    const mine = members.find(({ user_id }) => user_id === id)?.membership_id ?? '';
    await asAda(promote.replace('sandgate ', '').replace('<membership>', mine));
    expect((await ada.me()).roles).toEqual(['admin', 'owner']);
  });

  it('CP-269 another issuer, not carried forward: everybody of the old one is out, and an owner is armed again', async () => {
    const again = await person();
    await again.signIn('globex', 'ada');
    expect((await again.me()).roles).toEqual(['admin', 'owner']);
    expect(await follow(blocksOf('Another provider')[2]!)).toMatch(/1 members deactivated[^]*becomes owner/);
    expect((await again.me()).error).toBe('unauthorized');
    expect((await as(former)).status).toBe(401);
    await again.signIn('globex', 'ada');
    expect(await again.me()).toMatchObject({ org: { slug: 'globex' }, roles: ['admin', 'owner'] });
    expect((await as(former)).status).toBe(401);
  });

  function as(token: string): Promise<Response> {
    return fetch(`http://${host}/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  }

  /** A run of this person that waits for somebody, and its events in their browser. */
  async function streamOf(one: Person): Promise<FollowedStream> {
    await asAda(`agents create - <<< '{name: robot, harness: replay, policy: standard}'`);
    const made = await one.ask('POST', '/v1/sessions', { agent: 'robot', task: WAITING_TASK });
    expect([made.status, made.text]).toEqual([200, expect.anything()]);
    const { session } = JSON.parse(made.text) as { session: { id: string } };
    const stream = await one.follow(session.id);
    expect(await until(stream.text, (text) => text.includes('approval'))).toContain('approval');
    expect(await stream.closedAt()).toBeNull();
    return stream;
  }
});
