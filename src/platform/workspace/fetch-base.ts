import { SandgateError } from '../../domain/errors.js';
import { GIT_FETCH_MS, runGit, type CommandResult, type Confinement, type GitOptions } from './git-command.js';

const FULL_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A repository that git can fetch from. */
export interface FetchSource {
  url: string;
  options: GitOptions;
  /** The sentence for a fetch that failed. */
  explain(result: CommandResult): SandgateError;
}

/** What shall be checked out: a pinned commit wins over a ref, HEAD when neither is named. */
export interface Selection {
  ref?: string | undefined;
  commit_sha?: string | undefined;
}

/**
 * Fetches what was selected into a git folder, below `refs/sandgate`, and answers the commit. A pinned commit is fetched alone where the
 * repository hands it out, else found among all branches and tags (docs/design/workspaces.md).
 *
 * @throws SandgateError `invalid_request` for what is not there, and what the source says of other failures
 */
export function fetchBase(on: Confinement, gitDir: string, source: FetchSource, wanted: Selection): Promise<string> {
  if (wanted.commit_sha === undefined) return fetchRef(on, gitDir, source, wanted.ref);
  return fetchCommit(on, gitDir, source, wanted.commit_sha);
}

async function fetchRef(
  on: Confinement,
  gitDir: string,
  source: FetchSource,
  ref: string | undefined,
): Promise<string> {
  const result = await fetch(on, gitDir, source, [`+${ref ?? 'HEAD'}:refs/sandgate/base`], ['--depth=1']);
  if (result.exitCode !== 0) {
    const what = ref === undefined ? 'it has no commit to check out' : `ref ${ref} was not found in it`;
    if (/couldn't find remote ref/i.test(result.stderr)) throw notFetched(what);
    throw source.explain(result);
  }
  return (await commitNamed(on, gitDir, 'refs/sandgate/base')) ?? notACommit(`ref ${ref ?? 'HEAD'}`);
}

async function fetchCommit(on: Confinement, gitDir: string, source: FetchSource, commit: string): Promise<string> {
  if (FULL_COMMIT.test(commit)) {
    const result = await fetch(on, gitDir, source, [`+${commit}:refs/sandgate/base`], ['--depth=1']);
    if (result.exitCode === 0) return (await commitNamed(on, gitDir, commit)) ?? notACommit(`commit_sha ${commit}`);
  }
  const everything = ['+refs/heads/*:refs/sandgate/heads/*', '+refs/tags/*:refs/sandgate/tags/*'];
  const result = await fetch(on, gitDir, source, everything);
  if (result.exitCode !== 0) throw source.explain(result);
  const found = await commitNamed(on, gitDir, commit);
  if (found === undefined || !found.startsWith(commit)) {
    throw notFetched(`commit_sha ${commit} names no commit, or several, of its branches and tags`);
  }
  return found;
}

function fetch(on: Confinement, gitDir: string, source: FetchSource, refspecs: string[], depth: string[] = []) {
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--update-shallow', ...depth];
  return runGit(on, gitDir, ['fetch', ...options, '--', source.url, ...refspecs], {
    ...source.options,
    timeoutMs: GIT_FETCH_MS,
  });
}

async function commitNamed(on: Confinement, gitDir: string, name: string): Promise<string | undefined> {
  const result = await runGit(on, gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return result.exitCode === 0 ? result.stdout.toString('latin1').trim() : undefined;
}

function notACommit(what: string): never {
  throw notFetched(`${what} is not a commit`);
}

/** The refusal of a repository that cannot be the base of a run, with the reason. */
export function notFetched(reason: string): SandgateError {
  return new SandgateError('invalid_request', `the repository could not be fetched: ${reason}`);
}
