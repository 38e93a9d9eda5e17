import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceSpec } from '../../../src/domain/run/spec.js';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { runConfined as confine } from '../../../src/platform/sandbox/bubblewrap/confined.js';
import {
  collectDiff,
  materialize,
  type CollectedDiff,
  type MaterializedWorkspace,
  type RemoteAccess,
} from '../../../src/platform/workspace/index.js';

/** As root the workspace belongs to an unprivileged uid, as it does for a run; otherwise to whoever runs the tests. */
export const UID = process.getuid?.() === 0 ? 231_900 : null;

/** Of whoever fetches: another one, as in a worker. */
export const FETCH_UID = UID === null ? null : UID + 1;

/** For tests whose repositories lie on this host. */
const NO_REMOTE: RemoteAccess = {
  route: (url) => Promise.reject(new Error(`nobody may dial ${url.host}`)),
  authorization: () => Promise.resolve(null),
  authorities: () => null,
};

/** One run's folders on real disk, with its workspace, baseline and a source folder that is the only allowed root. */
export class Stage {
  readonly base = mkdtempSync(join(tmpdir(), 'workspace-'));
  readonly source = join(this.base, 'roots', 'source');
  readonly workspaceDir = join(this.base, 'workspace');
  readonly baselineDir = join(this.base, 'state', 'baselines', 'run.git');
  readonly stateDir = join(this.base, 'state');
  /** How a code host is reached. */
  remote: RemoteAccess = NO_REMOTE;
  maxBytes = 1024 * 1024 * 1024;
  private materialized: MaterializedWorkspace | undefined;

  constructor() {
    mkdirSync(this.source, { recursive: true });
    // The script of an agent reaches its workspace; the state folder stays closed, as that of a server is.
    chmodSync(this.base, 0o711);
    mkdirSync(join(this.stateDir, 'baselines'), { recursive: true, mode: 0o700 });
    mkdirSync(this.workspaceDir);
    if (UID !== null) chownSync(this.workspaceDir, UID, UID);
  }

  async prepare(
    spec: WorkspaceSpec,
    roots: readonly string[] = [join(this.base, 'roots')],
    signal?: AbortSignal,
  ): Promise<MaterializedWorkspace> {
    const { workspaceDir, baselineDir, stateDir, remote, maxBytes } = this;
    this.materialized = await materialize({
      ...{ spec, workspaceDir, baselineDir, roots, stateDir, remote, maxBytes },
      ...{ confine, uid: UID, fetchUid: FETCH_UID },
      ...(signal === undefined ? {} : { signal }),
    });
    return this.materialized;
  }

  async collect(): Promise<CollectedDiff> {
    const { workspaceDir, baselineDir } = this;
    const baseCommit = this.materialized?.baseCommit ?? '';
    return collectDiff({ confine, workspaceDir, baselineDir, baseCommit, uid: UID });
  }

  /** Runs a shell script in the workspace as the run's uid would. */
  act(script: string, environment: Record<string, string> = {}): string {
    return execFileSync('/bin/bash', ['-euc', script], {
      cwd: this.workspaceDir,
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HOME: this.workspaceDir, GIT_CONFIG_NOSYSTEM: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(UID === null ? {} : { uid: UID, gid: UID }),
    });
  }

  /** A checkout of the base commit to which the patch is applied with `git apply --3way`; answers its folder. */
  apply(patch: Buffer): string {
    const clone = mkdtempSync(join(this.base, 'clone-'));
    git(clone, ['init', '-q']);
    writeFileSync(join(clone, '.git/objects/info/alternates'), `${join(this.baselineDir, 'objects')}\n`);
    writeFileSync(join(clone, '.git/info/attributes'), NEUTRAL);
    if (existsSync(join(this.baselineDir, 'shallow')))
      copyFileSync(join(this.baselineDir, 'shallow'), join(clone, '.git/shallow'));
    git(clone, ['checkout', '-q', '--detach', this.materialized?.baseCommit ?? '']);
    if (!patch.toString('latin1').startsWith('(no changes)')) git(clone, ['apply', '--3way', '-'], patch);
    return clone;
  }

  async remove(): Promise<void> {
    await removeTree(this.base);
  }
}

/** The tree's own attributes would convert line ends while the base is checked out for comparison. */
const NEUTRAL = '* !text !eol !filter !ident !working-tree-encoding\n';

/** git of the test itself, with nothing of the machine's configuration. */
export function git(cwd: string, args: string[], input?: Buffer | string): string {
  const identity = {
    GIT_AUTHOR_NAME: 't',
    GIT_AUTHOR_EMAIL: 't@t',
    GIT_COMMITTER_NAME: 't',
    GIT_COMMITTER_EMAIL: 't@t',
  };
  return execFileSync('git', ['-c', 'safe.directory=*', '-c', 'init.defaultBranch=main', ...args], {
    cwd,
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      ...identity,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Everything in a folder but its own `.git`: path → kind, mark of execution and content. Keys are Latin-1 of raw bytes. */
export function contentOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (below: Buffer): void => {
    const here = Buffer.concat([Buffer.from(`${folder}/`), below]);
    for (const name of readdirSync(here, { encoding: 'buffer' })) {
      if (below.length === 0 && name.toString() === '.git') continue;
      const relative = below.length === 0 ? name : Buffer.concat([below, Buffer.from('/'), name]);
      const path = Buffer.concat([Buffer.from(`${folder}/`), relative]);
      const stats = lstatSync(path);
      const key = relative.toString('latin1');
      if (stats.isDirectory()) look(relative);
      else if (stats.isSymbolicLink()) found[key] = `link ${readlinkSync(path)}`;
      else if (stats.isFile())
        found[key] = `${(stats.mode & 0o100) === 0 ? 'file' : 'program'} ${readFileSync(path).toString('latin1')}`;
    }
  };
  look(Buffer.alloc(0));
  return found;
}
