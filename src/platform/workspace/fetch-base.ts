import { SandgateError } from '../../domain/errors.js';
import type { FetchSource } from './fetch-source.js';
import { GIT_FETCH_MS, runGit, type Confinement } from './git-command.js';
import { fetchMergeBase, findMergeBase, type MergeBase } from './merge-base.js';

/** A longer change is fetched as its two ends. */
const MAX_HISTORY = 256;
const FULL_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What shall be checked out: a pinned commit wins over a ref, HEAD when neither is named. */
export interface Selection {
  ref?: string | undefined;
  commit_sha?: string | undefined;
  /** With a pinned commit: what it is compared with. */
  base_sha?: string | undefined;
}

/** What was fetched. */
export interface FetchedBase {
  baseCommit: string;
  /** Where the history of a pinned commit parts from that of `base_sha`; null when that could not be found, left out without one. */
  mergeBase?: string | null;
}

/**
 * Fetches what was selected into a git folder, below `refs/sandgate`, and answers the commit. A pinned commit is fetched alone where the
 * repository hands it out, or back to where its change begins; else it is found among all branches and tags (docs/design/workspaces.md).
 *
 * @throws SandgateError `invalid_request` for what is not there, and what the source says of other failures
 */
export async function fetchBase(
  on: Confinement,
  gitDir: string,
  source: FetchSource,
  wanted: Selection,
): Promise<FetchedBase> {
  const { ref, commit_sha: commit, base_sha: against } = wanted;
  if (commit === undefined) return { baseCommit: await fetchRef(on, gitDir, source, ref) };
  if (against === undefined) return { baseCommit: await fetchCommit(on, gitDir, source, commit) };
  return fetchChange(on, gitDir, source, commit, against);
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
  return (await fetchAlone(on, gitDir, source, commit, null)) ?? fetchAmongAll(on, gitDir, source, commit);
}

async function fetchChange(
  on: Confinement,
  gitDir: string,
  source: FetchSource,
  commit: string,
  against: string,
): Promise<FetchedBase> {
  const found = FULL_COMMIT.test(commit) ? await fetchMergeBase(on, source, commit, against) : null;
  const alone = await fetchAlone(on, gitDir, source, commit, found);
  if (alone !== null) return { baseCommit: alone, mergeBase: found?.commit ?? null };
  const baseCommit = await fetchAmongAll(on, gitDir, source, commit);
  return { baseCommit, mergeBase: (await findMergeBase(on, gitDir, baseCommit, against))?.commit ?? null };
}

/** A commit, with the history since its merge base when that is known. Null where the repository hands out no single commit. */
async function fetchAlone(
  on: Confinement,
  gitDir: string,
  source: FetchSource,
  commit: string,
  change: MergeBase | null,
): Promise<string | null> {
  if (!FULL_COMMIT.test(commit)) return null;
  const since = change?.since ?? 0;
  const isLong = change !== null && since >= MAX_HISTORY;
  const refspecs = [`+${commit}:refs/sandgate/base`, ...(isLong ? [`+${change.commit}:refs/sandgate/merge-base`] : [])];
  const result = await fetch(on, gitDir, source, refspecs, [`--depth=${isLong ? 1 : since + 1}`]);
  if (result.exitCode !== 0) return null;
  return (await commitNamed(on, gitDir, commit)) ?? notACommit(`commit_sha ${commit}`);
}

async function fetchAmongAll(on: Confinement, gitDir: string, source: FetchSource, commit: string): Promise<string> {
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
