import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ownIdentity } from '../../embedded/process-identity.js';
import { locate } from '../../embedded/state-folder.js';
import { resolveConnection, resolveServer, type ConnectionFlags } from './connection.js';
import { CredentialsFile } from './credentials-file.js';

const AHEAD = '2999-01-01T00:00:00.000Z';
const LOCAL_URL = 'http://127.0.0.1:8787';

let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sg-connection-'));
  env = { XDG_CONFIG_HOME: home, SERVICE_DATA_DIR: join(home, 'state') };
});
afterEach(() => rmSync(home, { recursive: true }));

/** Signs in to servers; the first is in use. */
async function logins(servers: Record<string, string>, current: string | null = Object.keys(servers)[0] ?? null) {
  const contexts = Object.fromEntries(
    Object.entries(servers).map(([name, url]) => [name, { url, token: `token of ${name}`, expires_at: AHEAD }]),
  );
  await new CredentialsFile(env).change(() => ({ current, contexts }));
}

function configFile(text: string): void {
  mkdirSync(join(home, 'sandgate'), { recursive: true });
  writeFileSync(join(home, 'sandgate', 'config.yaml'), text);
}

/** An installation runs on this machine: this process holds its lock. */
function localInstallation(): void {
  const { lock } = locate(join(home, 'state'));
  mkdirSync(join(lock, '..'), { recursive: true });
  const adminTokenFile = join(home, 'admin-token');
  writeFileSync(adminTokenFile, 'token of here\n');
  writeFileSync(lock, JSON.stringify({ ...ownIdentity(), url: LOCAL_URL, adminTokenFile, startedAt: AHEAD }));
}

function resolved(flags: ConnectionFlags = {}, more: NodeJS.ProcessEnv = {}): [string, string] {
  const { url, token } = resolveConnection(flags, { ...env, ...more });
  return [url, token];
}

describe('which server, and with which token', () => {
  it('the installation here is used with its own token, also where somebody signed in to it', async () => {
    localInstallation();
    await logins({ ada: LOCAL_URL });
    expect(resolved()).toEqual([LOCAL_URL, 'token of ada']);
    expect(resolved({ server: LOCAL_URL })).toEqual([LOCAL_URL, 'token of ada']);
    expect(resolved({ context: 'local' })).toEqual([LOCAL_URL, 'token of here']);
    await logins({ ada: LOCAL_URL }, null);
    expect(resolved()).toEqual([LOCAL_URL, 'token of here']);
    expect(resolved({ context: 'ada' })).toEqual([LOCAL_URL, 'token of ada']);
  });

  it('an option, the environment, the context in use, the configuration file, the installation here: in this order', async () => {
    expect(() => resolved()).toThrow('no server is known');
    localInstallation();
    expect(resolved()).toEqual([LOCAL_URL, 'token of here']);
    configFile('url: https://written.example\ntoken: token of file\n');
    expect(resolved()).toEqual(['https://written.example', 'token of file']);
    await logins({ acme: 'https://acme.example' });
    expect(resolved()).toEqual(['https://acme.example', 'token of acme']);
    const service = { SERVICE_API_URL: 'https://service.example', SERVICE_ADMIN_TOKEN: 'token of service' };
    expect(resolved({}, service)).toEqual(['https://service.example', 'token of service']);
    const own = { SANDGATE_URL: 'https://own.example', SANDGATE_TOKEN: 'token of own' };
    expect(resolved({}, { ...service, ...own })).toEqual(['https://own.example', 'token of own']);
    expect(resolved({ context: 'acme' }, own)).toEqual(['https://acme.example', 'token of acme']);
    expect(resolved({ context: 'local' }, own)).toEqual([LOCAL_URL, 'token of here']);
    expect(resolved({ server: LOCAL_URL })).toEqual([LOCAL_URL, 'token of here']);
    const tokenFile = join(home, 'given');
    writeFileSync(tokenFile, 'token given\n');
    expect(resolved({ server: 'https://any.example', tokenFile }, own)).toEqual(['https://any.example', 'token given']);
  });

  it('finds the login at the server that was named', async () => {
    await logins({ acme: 'https://acme.example', other: 'https://other.example/' });
    expect(resolved({ server: 'https://other.example' })).toEqual(['https://other.example', 'token of other']);
    expect(resolved({}, { SANDGATE_URL: 'https://other.example' })[1]).toBe('token of other');
    await logins({ one: 'https://acme.example', two: 'https://acme.example' }, 'two');
    expect(resolved({ server: 'https://acme.example' })[1]).toBe('token of two');
    await logins({ one: 'https://acme.example', two: 'https://acme.example' }, null);
    expect(() => resolved({ server: 'https://acme.example' })).toThrow('name one of one, two with --context');
  });

  it('a login begins at the server that commands would use, under the name that it has there', async () => {
    expect(resolveServer({ server: 'https://new.example/' }, env)).toEqual({ url: 'https://new.example' });
    await logins({ acme: 'https://acme.example' });
    expect(resolveServer({}, env)).toEqual({ url: 'https://acme.example', context: 'acme' });
    expect(resolveServer({ context: 'second' }, env)).toEqual({ url: 'https://acme.example', context: 'second' });
    expect(() => resolveServer({ context: 'acme', server: 'https://new.example' }, env)).toThrow(
      'context acme is of https://acme.example',
    );
  });

  it('names the nearest context, and says when a login has ended', async () => {
    await logins({ acme: 'https://acme.example' });
    expect(() => resolved({ context: 'acne' })).toThrow('there is no context acne; did you mean acme?');
    for (const context of ['constructor', '__proto__'])
      expect(() => resolved({ context })).toThrow(`there is no context ${context}`);
    const over = { url: 'https://acme.example', token: 'x', expires_at: '2020-01-01T00:00:00.000Z' };
    await new CredentialsFile(env).change((before) => ({ ...before, contexts: { acme: over } }));
    expect(() => resolved()).toThrow('sign in again: sandgate login --context acme');
  });
});

describe('a token goes to the server that it is for, and to no other', () => {
  it.each<[string, ConnectionFlags, NodeJS.ProcessEnv]>([
    ['of a login, by its name in the address', { server: 'https://acme.example.evil.example' }, {}],
    ['of a login, by another port', { server: 'https://acme.example:8443' }, {}],
    ['of a login, by plain http', { server: 'http://acme.example' }, {}],
    ['of the environment', { server: 'https://b.example' }, { SANDGATE_URL: 'https://a.example', SANDGATE_TOKEN: 'x' }],
    ['of the server here', { server: 'https://b.example' }, { SERVICE_ADMIN_TOKEN: 'x' }],
    ['of the configuration file', { server: 'https://b.example' }, {}],
  ])('%s', async (_name, flags, more) => {
    await logins({ acme: 'https://acme.example' });
    configFile('url: https://written.example\ntoken: token of file\n');
    localInstallation();
    expect(() => resolved(flags, more)).toThrow(`no token for ${flags.server}`);
  });

  it('one without a server is not sent to that of a login', async () => {
    await logins({ acme: 'https://acme.example' });
    expect(() => resolved({}, { SANDGATE_TOKEN: 'x' })).toThrow(
      'set without SANDGATE_URL while context acme is in use',
    );
    expect(resolved({}, { SERVICE_ADMIN_TOKEN: 'x' })).toEqual(['https://acme.example', 'token of acme']);
    expect(resolved({ server: 'https://b.example' }, { SANDGATE_TOKEN: 'x' })).toEqual(['https://b.example', 'x']);
  });

  it('--server and --context that differ are refused', async () => {
    await logins({ acme: 'https://acme.example' });
    const flags = { context: 'acme', server: 'https://b.example' };
    expect(() => resolved(flags)).toThrow('context acme is of https://acme.example, not of https://b.example');
  });
});

describe('the file of logins', () => {
  it('is for its owner alone, and refused where it is not', async () => {
    await logins({ acme: 'https://acme.example' });
    const { path } = new CredentialsFile(env);
    expect([statSync(path).mode & 0o777, statSync(join(home, 'sandgate')).mode & 0o777]).toEqual([0o600, 0o700]);
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(path, mode);
      expect(() => resolved()).toThrow(`run chmod 600 ${path}`);
    }
    chmodSync(path, 0o400);
    expect(resolved()[1]).toBe('token of acme');
  });

  // Only root can give a file away.
  (process.getuid?.() === 0 ? it : it.skip)('is refused where it belongs to somebody else', async () => {
    await logins({ acme: 'https://acme.example' });
    chownSync(new CredentialsFile(env).path, 65_534, 65_534);
    expect(() => resolved()).toThrow('belongs to another user');
  });

  it('loses no login to another command that changes it at once', async () => {
    const add = (index: number): Promise<void> =>
      new CredentialsFile(env).change(({ contexts }) => ({
        current: null,
        contexts: { ...contexts, [`c${index}`]: { url: 'https://a.example', token: 'x', expires_at: AHEAD } },
      }));
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
    expect(Object.keys(new CredentialsFile(env).read().contexts)).toHaveLength(20);
  });

  it('stays as it was when a change fails, and for the next one', async () => {
    await logins({ acme: 'https://acme.example' });
    const file = new CredentialsFile(env);
    const before = readFileSync(file.path, 'utf8');
    await expect(
      file.change(() => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(readFileSync(file.path, 'utf8')).toBe(before);
    await file.change((now) => ({ ...now, current: null }));
    expect(file.read().current).toBeNull();
  });

  it.each(['', '[]', '{"contexts":{"a":{"url":"x"}}}', '{"current":1,"contexts":{}}'])(
    'with the content %j is refused, and nothing is guessed',
    (text) => {
      const { path } = new CredentialsFile(env);
      mkdirSync(join(home, 'sandgate'), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
      expect(() => resolved()).toThrow('is not understood');
    },
  );
});
