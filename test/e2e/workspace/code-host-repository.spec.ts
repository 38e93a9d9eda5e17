import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceSpec } from '../../../src/domain/run/spec.js';
import type { RemoteAccess } from '../../../src/platform/workspace/index.js';
import { CodeHost, end, type Interference } from '../../support/codehost/code-host.js';
import { redirect, refuseSingleCommits } from '../../support/codehost/interference.js';
import { lookAround } from '../../support/codehost/shown-credentials.js';
import { startConnectProxy } from '../../support/http/connect-proxy.js';
import { contentOf, FETCH_UID, git, Stage } from './support.js';

jest.setTimeout(60_000);

/** Of this process alone: the same may be tried by another one on this machine. */
const TOKEN = `ghp_canary${randomBytes(16).toString('hex')}`;
const HEADER = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
/** Every form in which the credential could lie somewhere. */
const CANARIES = [TOKEN, HEADER.slice('Basic '.length)];

let host: CodeHost;
let stage: Stage;
let source: string;
const commits: string[] = [];
beforeAll(async () => {
  host = await CodeHost.start({ tokens: [TOKEN], names: ['code.test'] });
  source = mkdtempSync(join(tmpdir(), 'published-'));
  git(source, ['init', '-q']);
  for (const text of ['one', 'two', 'three']) commits.push(commit({ 'a.txt': `${text}\n`, 'sub/b.txt': 'b\r\n' }));
  git(source, ['branch', 'feature/x', commits[1] ?? '']);
  git(source, ['tag', '-a', 'v1', '-m', 'tag', commits[0] ?? '']);
  host.publish(source, 'acme/open', { open: true });
  host.publish(source, 'acme/private');
});
afterAll(async () => {
  await host?.stop();
  rmSync(source, { recursive: true, force: true });
});
beforeEach(() => {
  stage = new Stage();
  stage.remote = access(null);
  host.requests.length = 0;
  host.interfere = [];
});
afterEach(() => stage.remove());

function commit(files: Record<string, string>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(source, path, '..'), { recursive: true });
    writeFileSync(join(source, path), content);
  }
  git(source, ['add', '-A']);
  git(source, ['commit', '-q', '-m', 'x']);
  return git(source, ['rev-parse', 'HEAD']).trim();
}

/** What a worker gives a run whose code host answers on loopback under any name. */
function access(authorization: string | null, more: Partial<RemoteAccess> = {}): RemoteAccess {
  return {
    route: (url) => Promise.resolve({ resolve: [`${url.hostname}:${url.port}:127.0.0.1`], proxy: null }),
    authorization: () => Promise.resolve(authorization),
    authorities: () => host.certificate,
    ...more,
  };
}

type Choice = Partial<Extract<WorkspaceSpec, { kind: 'git_repository' }>>;
const fetch = (repository: string, choice: Choice = {}, signal?: AbortSignal) =>
  stage.prepare(
    {
      kind: 'git_repository',
      clone_url: `${host.url('code.test')}/${repository}`,
      checkout_mode: 'writable_copy',
      ...choice,
    },
    [],
    signal,
  );

const whereItShows = () => lookAround({ canaries: CANARIES, url: host.url('code.test'), folder: stage.base });

describe('a repository of a code host', () => {
  it('CP-073 ref, commit_sha or HEAD selects what is checked out, in as little history as the host gives', async () => {
    expect(await fetch('acme/open')).toEqual({ baseCommit: commits[2], files: 2, leftOut: 0 });
    expect(stage.act('git rev-list --count HEAD; git remote; git status --porcelain')).toBe('1\n');
    expect(stage.act('git symbolic-ref --short HEAD').trim()).toBe('service-work');
    expect((await fetch('acme/open.git', { ref: 'feature/x' })).baseCommit).toBe(commits[1]);
    expect(stage.act('git symbolic-ref --short HEAD').trim()).toBe('feature/x');
    expect((await fetch('acme/open', { ref: 'v1' })).baseCommit).toBe(commits[0]);
    expect((await fetch('acme/open', { commit_sha: commits[1] ?? '' })).baseCommit).toBe(commits[1]);
    expect(stage.act('git rev-list --count HEAD')).toBe('1\n');
    expect((await fetch('acme/open', { commit_sha: commits[0]?.slice(0, 9) ?? '' })).baseCommit).toBe(commits[0]);
    expect(contentOf(stage.workspaceDir)).toEqual({ 'a.txt': 'file one\n', 'sub/b.txt': 'file b\r\n' });
    stage.act('echo four > a.txt');
    expect((await stage.collect()).patch.toString()).toContain('+four\n');
  });

  it('a host that hands out no single commit is asked for its branches and tags', async () => {
    host.interfere = [refuseSingleCommits()];
    expect((await fetch('acme/open', { commit_sha: commits[1] ?? '' })).baseCommit).toBe(commits[1]);
    expect(contentOf(stage.workspaceDir)['a.txt']).toBe('file two\n');
    await expect(fetch('acme/open', { commit_sha: 'f'.repeat(40) })).rejects.toThrow(
      `commit_sha ${'f'.repeat(40)} names no commit`,
    );
  });

  it('a private one needs a credential that its host takes; each refusal says what to do', async () => {
    await expect(fetch('acme/private')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('name a connection (workspace.connection_id)') as unknown,
    });
    stage.remote = access(HEADER);
    expect((await fetch('acme/private')).baseCommit).toBe(commits[2]);
    await expect(fetch('acme/missing')).rejects.toThrow('knows no such repository, or the connection may not see it');
    await expect(fetch('acme/private', { ref: 'nowhere' })).rejects.toThrow('ref nowhere was not found in it');
    stage.remote = access(`Basic ${Buffer.from('x-access-token:wrong').toString('base64')}`);
    await expect(fetch('acme/private')).rejects.toThrow('its host refused the credential of the connection');
  });

  it('CP-289 the credential is in no argument, no file and no environment but that of the fetching git', async () => {
    stage.remote = access(HEADER);
    const seen: ReturnType<typeof lookAround>[] = [];
    // While git waits for its pack, and so holds the credential.
    host.interfere = [
      ({ method }) => {
        if (method === 'POST') seen.push(whereItShows());
        return false;
      },
    ];
    await fetch('acme/private');
    const environments = seen.flatMap((look) => look.environments);
    expect(environments.length).toBeGreaterThan(0);
    for (const { uid, name } of environments) {
      expect(uid).toBe(FETCH_UID ?? process.getuid?.());
      expect(name).toMatch(/^git/);
    }
    expect(seen.flatMap((look) => look.commandLines)).toEqual([]);
    expect([...seen.flatMap((look) => look.files), ...whereItShows().files]).toEqual([]);
    expect(whereItShows().environments).toEqual([]);
  });
});

describe('a code host that wants more than it may have', () => {
  it('a redirect is not followed, at no stage, and no other host hears the credential', async () => {
    await using other = await Elsewhere.start();
    stage.remote = access(HEADER);
    for (const stageOf of [/info\/refs/, /git-upload-pack$/]) {
      for (const status of [301, 302, 307, 308]) {
        host.interfere = [redirect(stageOf, status, `${other.host.url('code.test')}/acme/private/info/refs`)];
        await expect(fetch('acme/private')).rejects.toThrow('answered with a redirect, which is not followed');
      }
    }
    expect(other.host.requests).toEqual([]);
  });

  it('alternates, bundles and packs of other places are not fetched', async () => {
    await using other = await Elsewhere.start();
    const elsewhere = other.host.url('code.test');
    host.interfere = [
      (request, response) => {
        // The older protocol, which knows of alternates: plain files.
        if (/objects\/info\/(?:http-)?alternates$/.test(request.url ?? '')) {
          response.end(`${elsewhere}/acme/open/objects\n`);
          return true;
        }
        return plainFiles(host.folder)(request, response);
      },
    ];
    await expect(fetch('acme/open', { commit_sha: 'f'.repeat(40) })).rejects.toMatchObject({ code: 'invalid_request' });
    host.interfere = [];
    for (const [key, value] of [
      ['uploadpack.advertiseBundleURIs', 'true'],
      ['bundle.version', '1'],
      ['bundle.mode', 'all'],
      ['bundle.a.uri', `${elsewhere}/a.bundle`],
      ['uploadpack.blobPackfileUri', `${blobOf('a.txt')} ${'a'.repeat(40)} ${elsewhere}/a.pack`],
    ])
      git(join(host.folder, 'acme/open'), ['config', key ?? '', value ?? '']);
    expect((await fetch('acme/open')).baseCommit).toBe(commits[2]);
    expect(other.host.requests).toEqual([]);
  });

  it('only the addresses that were checked are dialled, only with a certificate that fits', async () => {
    stage.remote = access(HEADER, { route: () => Promise.resolve({ resolve: [], proxy: null }) });
    await expect(fetch('acme/private', { clone_url: `${host.url('localhost.')}/acme/private` })).rejects.toThrow(
      'the address of its host is not known to git',
    );
    stage.remote = access(HEADER, { authorities: () => null });
    await expect(fetch('acme/private')).rejects.toThrow('the certificate of its host could not be verified');
    stage.remote = access(HEADER);
    await expect(fetch('acme/private', { clone_url: `${host.url('other.test')}/acme/private` })).rejects.toThrow(
      'the certificate of its host could not be verified',
    );
    expect(host.requests).toEqual([]);
  });

  it('what it says of a failure is not repeated: it has seen the credential', async () => {
    stage.remote = access(HEADER);
    host.interfere = [
      (request, response) => {
        const text = `ERR fatal: error: ${request.headers.authorization} ${TOKEN}\n`;
        const line = `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(line);
        return true;
      },
    ];
    const failure = await fetch('acme/private').catch((cause: unknown) => cause as Error);
    expect(failure).toBeInstanceOf(Error);
    const said = `${(failure as Error).message} ${(failure as Error).stack}`;
    for (const canary of CANARIES) expect(said).not.toContain(canary);
  });

  it('one that is away is to blame itself; one that hangs is left when the run is', async () => {
    host.interfere = [(_request, response) => (end(response, 503), true)];
    await expect(fetch('acme/open')).rejects.toMatchObject({ code: 'upstream_failed' });
    stage.remote = access(null, {
      route: (url) => Promise.resolve({ resolve: [`${url.hostname}:1:127.0.0.1`], proxy: null }),
    });
    await expect(fetch('acme/open', { clone_url: 'https://code.test:1/acme/open' })).rejects.toMatchObject({
      code: 'upstream_failed',
    });
    stage.remote = access(null);
    const cancelled = new AbortController();
    const asked = Promise.withResolvers<void>();
    host.interfere = [() => (asked.resolve(), true)];
    const fetching = fetch('acme/open', {}, cancelled.signal);
    await asked.promise;
    cancelled.abort(new Error('the run was cancelled'));
    await expect(fetching).rejects.toThrow('the run was cancelled');
    expect(whereItShows().fetching).toEqual([]);
  });

  it('CP-037 with a proxy git goes through it, names its host there and looks nothing up', async () => {
    const proxy = await startConnectProxy();
    const { port } = new URL(proxy.url);
    const through = { resolve: [`proxy.test:${port}:127.0.0.1`], proxy: `http://carrier:p%3Aw%40d@proxy.test:${port}` };
    stage.remote = access(HEADER, { route: () => Promise.resolve(through) });
    try {
      expect((await fetch('acme/private')).baseCommit).toBe(commits[2]);
      expect(new Set(proxy.tunnels)).toEqual(new Set([`code.test:${host.port}`]));
      const credential = `Basic ${Buffer.from('carrier:p:w@d').toString('base64')}`;
      expect(new Set(proxy.credentials)).toEqual(new Set([credential]));
      proxy.refuseWith = 407;
      await expect(fetch('acme/private')).rejects.toMatchObject({ code: 'upstream_failed' });
    } finally {
      await proxy.close();
    }
  });
});

/** A second host, which must hear nothing. */
class Elsewhere implements AsyncDisposable {
  private constructor(readonly host: CodeHost) {}

  static async start(): Promise<Elsewhere> {
    return new Elsewhere(await CodeHost.start({ names: ['code.test'] }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.stop();
  }
}

/** Serves a repository as files, as hosts did before the smart protocol. */
function plainFiles(folder: string): Interference {
  return (request, response) => {
    const path = join(folder, (request.url ?? '').split('?')[0] ?? '');
    git(join(folder, 'acme/open'), ['update-server-info']);
    try {
      response.end(readFileSync(path));
    } catch {
      end(response, 404);
    }
    return true;
  };
}

function blobOf(path: string): string {
  return git(source, ['rev-parse', `HEAD:${path}`]).trim();
}
