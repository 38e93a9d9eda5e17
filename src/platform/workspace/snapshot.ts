import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { failureText, runGitScript, type Confinement } from './git-command.js';
import { BASE_MESSAGE, COMMIT_ENVIRONMENT, writeEmptyBase, writeGitFolder } from './git-folder.js';
import { scanTree } from './scan-tree.js';

const BRANCH = 'service-work';
const COMPRESS_BYTES = 4 * 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface Snapshot {
  baseCommit: string;
  /** Of a pull request: the commit that its change is shown against, null when it could not be found. */
  mergeBase?: string | null;
  /** Files and links outside `.git`. */
  files: number;
  /** Entries that a commit cannot hold. */
  leftOut: number;
  /** Of a repository, when it has any: submodules, which stay empty folders, and files of Git LFS, which stay pointers. */
  notFetched?: { submodules: number; lfsFiles: number };
}

/** Where a workspace and its baseline lie. */
export interface WorkspacePlaces {
  workspaceDir: string;
  baselineDir: string;
}

/** An empty folder that is a repository with one empty commit; needs no program. */
export async function snapshotNothing(places: WorkspacePlaces, uid: number | null): Promise<Snapshot> {
  const write = async (gitDir: string): Promise<string> => {
    await writeGitFolder(gitDir, { branch: BRANCH, format: 'sha1', uid });
    return writeEmptyBase(gitDir, BRANCH, uid);
  };
  const [baseCommit] = await Promise.all([write(places.baselineDir), write(join(places.workspaceDir, '.git'))]);
  return { baseCommit, files: 0, leftOut: 0 };
}

/**
 * Makes one commit of everything in a workspace, byte for byte (no filter, no conversion of line ends, no ignore rule), as the
 * baseline and as the agent's own repository.
 */
export async function snapshotFolder(on: Confinement, places: WorkspacePlaces): Promise<Snapshot> {
  const { workspaceDir, baselineDir } = places;
  await writeGitFolder(baselineDir, { branch: BRANCH, format: 'sha1', uid: on.uid });
  const confined = { ...on, readWrite: [workspaceDir, baselineDir] };
  const report = await scanTree(confined, {
    root: workspaceDir,
    objects: join(baselineDir, 'objects'),
    format: 'sha1',
    purpose: 'snapshot',
    baseListing: null,
    baseline: null,
    maxFileBytes: MAX_FILE_BYTES,
    digestMs: 0,
  });
  const baseCommit = await commitIndex(confined, places, report.bytes > COMPRESS_BYTES);
  await installRepository(confined, places, baseCommit);
  return { baseCommit, files: report.files, leftOut: report.leftOut.length + report.unlisted };
}

async function commitIndex(
  on: Confinement,
  { workspaceDir, baselineDir }: WorkspacePlaces,
  compress: boolean,
): Promise<string> {
  const script = [
    'cd "$2"',
    'pack=$(cat "$1/pack")',
    'if [ -n "$pack" ]; then git index-pack "$pack" > "$1/packed"; fi',
    'if [ -s "$1/oversized" ]; then git hash-object -w --no-filters --stdin-paths < "$1/oversized" > "$1/hashed"; fi',
    'export GIT_INDEX_FILE="$1/fresh-index"',
    'git update-index -z --index-info < "$1/index"',
    'tree=$(git write-tree)',
    'commit=$(printf %s "$3" | git commit-tree "$tree")',
    `git update-ref refs/heads/${BRANCH} "$commit"`,
    // The new pack is not compressed; a small one is not worth the time at the start of a run.
    'if [ "$4" = compress ]; then git -c pack.compression=1 repack -a -d -F -q --window=0; fi',
    'printf %s "$commit"',
  ].join('\n');
  const result = await runGitScript(
    on,
    baselineDir,
    script,
    [on.scratch, workspaceDir, BASE_MESSAGE, compress ? 'compress' : 'leave'],
    {
      env: COMMIT_ENVIRONMENT,
    },
  );
  if (result.exitCode !== 0)
    throw new SandgateError('internal', `the base commit could not be made: ${failureText(result)}`);
  return result.stdout.toString('latin1').trim();
}

/** Gives the agent a repository of its own: a copy of the baseline, with an index that matches the files. */
export async function installRepository(on: Confinement, places: WorkspacePlaces, baseCommit: string): Promise<void> {
  const script = [
    'mkdir "$1/.git"',
    'cp -R "$2/." "$1/.git/"',
    'export GIT_DIR="$1/.git" GIT_WORK_TREE="$1"',
    'git read-tree "$3"',
    'git update-index -q --refresh || true',
  ].join('\n');
  const result = await runGitScript(on, places.baselineDir, script, [
    places.workspaceDir,
    places.baselineDir,
    baseCommit,
  ]);
  if (result.exitCode !== 0)
    throw diskOrInternal('the repository of the workspace could not be made', failureText(result));
}

/** A full workspace is a limit that somebody chose; any other failure is ours. */
export function diskOrInternal(what: string, reason: string): SandgateError {
  if (!/No space left|Disk quota exceeded/i.test(reason)) return new SandgateError('internal', `${what}: ${reason}`);
  return new SandgateError('payload_too_large', `${what}: the disk of the sandbox (sandbox.disk_mb) is too small`);
}
