import { join } from 'node:path';
import { fileUrlPath, cloneUrlProblem } from '../../domain/run/clone-url.js';
import { SandgateError } from '../../domain/errors.js';
import { refProblem, workBranch } from '../../domain/run/git-ref.js';
import type { WorkspaceSpec } from '../../domain/run/spec.js';
import { REMOTE_REPOSITORIES_LATER } from '../../domain/run/workspace-input.js';
import { failureText, GIT_FETCH_MS, runGit, runGitScript, type Confinement } from './git-command.js';
import { writeGitFolder } from './git-folder.js';
import { diskOrInternal, installRepository, type Snapshot, type WorkspacePlaces } from './snapshot.js';
import { stageRepository } from './stage-repository.js';

type GitRepository = Extract<WorkspaceSpec, { kind: 'git_repository' }>;
const FULL_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Fetches a repository of this host into the baseline and checks it out byte for byte, without running anything that it configures
 * (chapter 20 §16.2). A pinned commit is fetched alone where the repository hands it out, else found among all branches and tags.
 *
 * @throws SandgateError `invalid_request` for what cannot be fetched
 */
export async function fetchRepository(
  on: Confinement,
  places: WorkspacePlaces,
  spec: GitRepository,
  roots: readonly string[],
): Promise<Snapshot> {
  assertFetchable(spec);
  const staged = join(on.scratch, 'source.git');
  const format = await stageRepository(fileUrlPath(spec.clone_url), roots, staged, on.uid);
  const branch = workBranch(spec.ref);
  await writeGitFolder(places.baselineDir, { branch, format, uid: on.uid });
  const confined = { ...on, readWrite: [places.workspaceDir, places.baselineDir] };
  const source = `file://${staged}`;
  const baseCommit =
    spec.commit_sha === undefined
      ? await fetchRef(confined, places.baselineDir, source, spec.ref)
      : await fetchCommit(confined, places.baselineDir, source, spec.commit_sha);
  await setBranch(confined, places.baselineDir, branch, baseCommit);
  await installRepository(confined, places, baseCommit);
  return { baseCommit, files: await checkOut(confined, places), leftOut: 0 };
}

/** The rules that creation applied, applied again to what was frozen. */
function assertFetchable(spec: GitRepository): void {
  if (!spec.clone_url.startsWith('file://')) throw refusal(`workspace.clone_url: ${REMOTE_REPOSITORIES_LATER}`);
  const urlProblem = cloneUrlProblem(spec.clone_url);
  if (urlProblem !== undefined) throw refusal(`workspace.clone_url ${urlProblem}`);
  const problem = spec.ref === undefined ? undefined : refProblem(spec.ref);
  if (problem !== undefined) throw refusal(`workspace.ref ${problem}`);
}

async function fetchRef(on: Confinement, gitDir: string, source: string, ref: string | undefined): Promise<string> {
  const result = await fetch(on, gitDir, source, [`+${ref ?? 'HEAD'}:refs/sandgate/base`], ['--depth=1']);
  if (result.exitCode !== 0) {
    const what = ref === undefined ? 'it has no commit to check out' : `ref ${ref} was not found in it`;
    if (/couldn't find remote ref/i.test(result.stderr)) throw refusal(`the repository could not be fetched: ${what}`);
    throw fetchFailed(failureText(result));
  }
  return (await commitNamed(on, gitDir, 'refs/sandgate/base')) ?? notACommit(`ref ${ref ?? 'HEAD'}`);
}

async function fetchCommit(on: Confinement, gitDir: string, source: string, commit: string): Promise<string> {
  if (FULL_COMMIT.test(commit)) {
    const result = await fetch(on, gitDir, source, [`+${commit}:refs/sandgate/base`], ['--depth=1']);
    if (result.exitCode === 0) return (await commitNamed(on, gitDir, commit)) ?? notACommit(`commit_sha ${commit}`);
  }
  const everything = ['+refs/heads/*:refs/sandgate/heads/*', '+refs/tags/*:refs/sandgate/tags/*'];
  const result = await fetch(on, gitDir, source, everything);
  if (result.exitCode !== 0) throw fetchFailed(failureText(result));
  const found = await commitNamed(on, gitDir, commit);
  if (found === undefined || !found.startsWith(commit)) {
    throw refusal(
      `the repository could not be fetched: commit_sha ${commit} names no commit, or several, of its branches and tags`,
    );
  }
  return found;
}

function fetch(on: Confinement, gitDir: string, source: string, refspecs: string[], depth: string[] = []) {
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--update-shallow', ...depth];
  return runGit(on, gitDir, ['fetch', ...options, '--', source, ...refspecs], { timeoutMs: GIT_FETCH_MS });
}

async function commitNamed(on: Confinement, gitDir: string, name: string): Promise<string | undefined> {
  const result = await runGit(on, gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return result.exitCode === 0 ? result.stdout.toString('latin1').trim() : undefined;
}

function notACommit(what: string): never {
  throw refusal(`the repository could not be fetched: ${what} is not a commit`);
}

/** One branch at the base commit; the references that the fetch needed go. */
async function setBranch(on: Confinement, gitDir: string, branch: string, commit: string): Promise<void> {
  const script = [
    'git for-each-ref --format="delete %(refname)" refs/sandgate | git update-ref --stdin',
    'git update-ref "refs/heads/$1" "$2"',
    'rm -rf "$3/refs/sandgate" "$3/FETCH_HEAD"',
  ].join('\n');
  const result = await runGitScript(on, gitDir, script, [branch, commit, gitDir]);
  if (result.exitCode !== 0)
    throw new SandgateError('internal', `the work branch could not be made: ${failureText(result)}`);
}

/** Answers the number of files that were checked out; submodules stay empty folders. */
async function checkOut(on: Confinement, { workspaceDir }: WorkspacePlaces): Promise<number> {
  const script = [
    'git checkout-index --all --force --quiet',
    'git update-index -q --refresh || true',
    'git ls-files | wc -l',
  ].join('\n');
  const environment = { GIT_WORK_TREE: workspaceDir };
  const result = await runGitScript(on, join(workspaceDir, '.git'), script, [], {
    cwd: workspaceDir,
    env: environment,
  });
  if (result.exitCode !== 0) throw diskOrInternal('the repository could not be checked out', failureText(result));
  return Number(result.stdout.toString('latin1').trim());
}

function fetchFailed(reason: string): SandgateError {
  return refusal(`the repository could not be fetched: ${reason}`);
}

function refusal(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
