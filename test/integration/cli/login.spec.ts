import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CredentialsFile, type Credentials } from '../../../src/cli/server/credentials-file.js';
import { DeviceLoginClient } from '../../../src/cli/server/device-login.js';
import { EXIT } from '../../../src/cli/terminal/exit-codes.js';
import {
  captureTerminals,
  cli,
  ok,
  startCommand,
  type Outcome,
  type RunningCommand,
} from '../../support/cli/running-command.js';
import { DeviceBench, type Browser } from '../../support/identity/device-bench.js';
import { until } from '../../support/time/until.js';

let bench: DeviceBench;
let home: string;
const servers: Server[] = [];
const earlier = { ...process.env };

beforeAll(async () => {
  captureTerminals();
  bench = await DeviceBench.start({ SERVICE_TIMING_DEVICE_POLL_MS: '1000' });
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sg-login-'));
  const none = { SANDGATE_URL: '', SANDGATE_TOKEN: '', SERVICE_API_URL: '', SERVICE_ADMIN_TOKEN: '' };
  Object.assign(process.env, none, { XDG_CONFIG_HOME: home, SERVICE_DATA_DIR: join(home, 'state') });
});
afterEach(() => {
  rmSync(home, { recursive: true });
  for (const server of servers.splice(0)) server.close();
});
afterAll(async () => {
  jest.restoreAllMocks();
  process.env = earlier;
  await bench?.close();
});

function stored(): Credentials {
  return JSON.parse(readFileSync(join(home, 'sandgate', 'credentials.json'), 'utf8')) as Credentials;
}

/** The code that a waiting command asks a person to type. */
async function codeOf({ terminal }: RunningCommand): Promise<string> {
  const code = /type the code {2}(\S+)/;
  await until(
    () => terminal.stderr,
    (said) => code.test(said),
  );
  return code.exec(terminal.stderr)?.[1] ?? '';
}

/** Signs in as a new person, and answers who that is and what the command printed. */
async function signedIn(...argv: string[]): Promise<{ person: Browser; outcome: Outcome }> {
  const person = await bench.person();
  const waiting = startCommand(['login', '--url', bench.api.url, ...argv]);
  await person.answer(await codeOf(waiting), 'approve');
  return { person, outcome: await waiting.outcome };
}

/** As if a member had signed in as this context before; answers whose token it is. */
async function haveContext(name: string, url = bench.api.url): Promise<string> {
  const { userId, token } = await bench.api.addUser('member');
  const made = { url, token, expires_at: '2999-01-01T00:00:00.000Z' };
  await new CredentialsFile(process.env).change(({ contexts }) => ({
    current: name,
    contexts: { ...contexts, [name]: made },
  }));
  return userId;
}

/** A server of somebody else, and what it was sent. */
async function foreign(
  answer: (request: IncomingMessage) => { status: number; headers?: Record<string, string>; body?: unknown },
): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const { status, headers, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body ?? {}));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

describe('sandgate login', () => {
  it('CP-266 CP-267 waits for a person, keeps the token for its owner, and ends it again', async () => {
    const { person, outcome } = await signedIn('--context', 'test', '--name', 'a laptop');
    const name = `user ${person.who.userId.slice(-4)}`;
    expect([outcome.code, outcome.message]).toEqual([0, '']);
    for (const line of [/Known from +context test/, new RegExp(`You are +${name}`), /Roles +member/, /Token ends +2/])
      expect(outcome.stdout).toMatch(line);
    expect(outcome.stderr).toContain(`Open in a browser, here or elsewhere, within 10 minutes:`);
    expect(outcome.stderr).toContain(`/v1/auth/device/confirm\n`);

    const { current, contexts } = stored();
    const { token, url } = contexts['test']!;
    expect([current, url, statSync(join(home, 'sandgate', 'credentials.json')).mode & 0o777]).toEqual([
      'test',
      bench.api.url,
      0o600,
    ]);
    expect(token).toMatch(/^svc_pat_[0-9a-f]{64}$/);
    expect(outcome.stdout + outcome.stderr).not.toContain('svc_pat_');

    expect(await ok('whoami')).toMatch(new RegExp(`You are +${name}\n`));
    expect(await ok('tokens')).toMatch(/a laptop +svc_pat_.{4} +live/);
    expect(await ok('contexts')).toMatch(/\* +test +http:/);
    expect(JSON.parse(await ok('-o', 'json', 'whoami'))).toMatchObject({ context: 'test', auth_kind: 'pat' });

    expect(await ok('logout')).toMatch(/test is forgotten[^]*revoked/);
    expect((await bench.api.get('/v1/auth/me', { token })).status).toBe(401);
    expect(stored()).toEqual({ current: null, contexts: {} });
    expect((await cli('whoami')).code).toBe(6);
    expect(await cli('logout')).toMatchObject({ code: 3, message: expect.stringContaining('no context is in use') });
  });

  it('is told that it was denied, and keeps nothing', async () => {
    const person = await bench.person();
    const waiting = startCommand(['login', '--url', bench.api.url]);
    await person.answer(await codeOf(waiting), 'deny');
    expect(await waiting.outcome).toMatchObject({ code: 4, message: 'the login was denied' });
    expect(existsSync(join(home, 'sandgate', 'credentials.json'))).toBe(false);
  });

  it('again: replaces the token of the context, and revokes the former', async () => {
    await signedIn();
    const [name] = Object.keys(stored().contexts);
    const former = stored().contexts[name!]!.token;
    const { person } = await signedIn();
    expect(Object.keys(stored().contexts)).toEqual([new URL(bench.api.url).host]);
    const { token } = stored().contexts[name!]!;
    expect((await bench.api.get('/v1/auth/me', { token: former })).status).toBe(401);
    expect((await bench.api.get('/v1/auth/me', { token })).body).toMatchObject({ user_id: person.who.userId });
  });

  it('keeps several servers apart, and uses the one that was chosen', async () => {
    const [one, two] = [await haveContext('one'), await haveContext('two')];
    const who = async (...argv: string[]): Promise<string> =>
      (JSON.parse(await ok('-o', 'json', ...argv, 'whoami')) as { user_id: string }).user_id;
    expect(await who()).toBe(two);
    expect(await who('--context', 'one')).toBe(one);
    expect(await ok('context', 'use', 'one')).toBe('In use: one\n');
    expect(await who()).toBe(one);
    expect(await cli('context', 'use', 'tow')).toMatchObject({
      code: 3,
      message: expect.stringContaining('did you mean two'),
    });
    await ok('logout', '--context', 'two');
    expect(Object.keys(stored().contexts)).toEqual(['one']);
    expect(stored().current).toBe('one');
    await ok('context', 'use', 'local');
    expect(await cli('whoami')).toMatchObject({ code: 6, message: expect.stringContaining('no server is known') });
  });

  it('says what to do once the token was revoked elsewhere', async () => {
    const userId = await haveContext('left');
    await bench.api.database.owner.query('update api_tokens set revoked_at = now() where user_id = $1', [userId]);
    expect(await cli('runs')).toMatchObject({
      code: 4,
      message: expect.stringContaining('the login of context left is over; sandgate login --context left'),
    });
  });
});

describe('a token of a login', () => {
  it('is not sent to a server that was named instead, nor after a redirect', async () => {
    await haveContext('home');
    const other = await foreign(() => ({ status: 200, body: { operator: true } }));
    expect(await cli('--server', other.url, 'whoami')).toMatchObject({
      code: 4,
      message: expect.stringContaining(`no token for ${other.url}`),
    });
    const bounce = await foreign(() => ({ status: 307, headers: { location: `${other.url}/v1/auth/me` } }));
    Object.assign(process.env, { SANDGATE_URL: bounce.url, SANDGATE_TOKEN: 'svc_pat_x' });
    expect(await cli('whoami')).toMatchObject({ code: 6, message: expect.stringContaining('where no token is sent') });
    expect([other.seen.length, bounce.seen.length]).toEqual([0, 1]);
  });

  it('is kept when its server does not answer, unless that is wanted', async () => {
    const gone = await foreign(() => ({ status: 503, body: { error: 'down' } }));
    await haveContext('gone', gone.url);
    expect(await cli('logout')).toMatchObject({ code: 1, message: expect.stringContaining('with --here') });
    expect(Object.keys(stored().contexts)).toEqual(['gone']);
    expect(await ok('logout', '--here')).toContain('not revoked; it lives until it ends');
    expect(stored()).toEqual({ current: null, contexts: {} });
  });
});

describe('a server that is not what it should be', () => {
  it.each(['sandgate.example', '127.sandgate.example', '127.0.0.1.sandgate.example', 'localhost.sandgate.example'])(
    'over plain http at %s gets no login',
    async (host) => {
      const refused = await cli('login', '--url', `http://${host}`);
      expect([refused.code, refused.message]).toEqual([2, expect.stringContaining('sign in over https')]);
    },
  );

  it('cannot steer the terminal, and is not opened where it names no web page', async () => {
    const hostile = await foreign(({ url }) =>
      url === '/v1/auth/device'
        ? {
            status: 200,
            body: {
              device_code: 'd',
              user_code: 'A\u001b[2J\u202eB',
              verification_uri: 'javascript:\u001b]0;x\u0007',
              verification_uri_complete: 'javascript:alert(1)',
              expires_in: 60,
              interval: 1,
            },
          }
        : { status: 400, body: { error: 'expired_token' } },
    );
    const { code, stderr, message } = await cli('login', '--url', hostile.url);
    expect([code, message]).toEqual([4, expect.stringContaining('nobody confirmed the login in time')]);
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(stderr).toContain('A\\e[2J\\u{202e}B');
  });

  it('that knows nothing of terminals is named as such', async () => {
    const old = await foreign(() => ({ status: 404, body: { error: 'not found' } }));
    expect(await cli('login', '--url', old.url)).toMatchObject({
      code: 3,
      message: 'this server does not know how to sign in a terminal',
    });
  });

  it('is asked again while it is down or hears too much, and slower when it says so', async () => {
    const answers = [
      { status: 503, body: { error: 'down' } },
      { status: 400, body: { error: 'authorization_pending' } },
      { status: 429, body: { error: 'too many sign-ins at once' } },
      { status: 400, body: { error: 'access_denied' } },
    ];
    const begin = { device_code: 'd', user_code: 'c', verification_uri: 'x', verification_uri_complete: 'x' };
    const busy = await foreign(({ url }) =>
      url === '/v1/auth/device'
        ? { status: 200, body: { ...begin, expires_in: 600, interval: 1 } }
        : (answers.shift() ?? { status: 500 }),
    );
    const pauses: number[] = [];
    const client = new DeviceLoginClient(busy.url, (ms) => Promise.resolve(pauses.push(ms)));
    const ended = client.wait(await client.start({}));
    await expect(ended).rejects.toMatchObject({ exitCode: EXIT.unauthorized, message: 'the login was denied' });
    expect(busy.seen).toHaveLength(5);
    expect(pauses).toEqual([1000, 6000, 6000, 11_000]);
  });
});
