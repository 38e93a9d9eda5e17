import { join } from 'node:path';
import type { FetchSource } from './fetch-source.js';
import { ConfinedTimeout, runGit, runGitScript, type CommandResult, type Confinement } from './git-command.js';
import { writeGitFolder } from './git-folder.js';

/** Where two histories part. */
export interface MergeBase {
  commit: string;
  /** Commits since then on the way to the first one. */
  since: number;
}

/** In commits from both ends: what is enough for most pull requests, then everything. */
const DEPTHS = [256, 0x7fff_ffff];
const HISTORY_MS = 5 * 60_000;

/**
 * Fetches commits without files into a folder that is thrown away, and finds where they part. Null when they do not meet, or the source
 * does not hand them out.
 *
 * @throws SandgateError when trying again may help
 */
export async function fetchMergeBase(
  on: Confinement,
  source: FetchSource,
  commit: string,
  other: string,
): Promise<MergeBase | null> {
  const gitDir = join(on.scratch, 'history.git');
  await writeGitFolder(gitDir, { branch: 'none', format: 'sha1', uid: on.uid });
  const refspecs = [`+${commit}:refs/sandgate/base`, `+${other}:refs/sandgate/other`];
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--update-shallow', '--filter=tree:0'];
  for (const depth of DEPTHS) {
    const argv = ['fetch', ...options, `--depth=${depth}`, '--', source.url, ...refspecs];
    const result = await orTimeout(runGit(on, gitDir, argv, { ...source.options, timeoutMs: HISTORY_MS }));
    if (result === null) return null;
    if (result.exitCode !== 0) {
      const problem = source.explain(result);
      if (problem.code === 'invalid_request') return null;
      throw problem;
    }
    const found = await findMergeBase(on, gitDir, commit, other);
    if (found !== null) return found;
  }
  return null;
}

/** Null where they do not meet, and where what lies behind the end of a shallow history might be nearer. */
export async function findMergeBase(
  on: Confinement,
  gitDir: string,
  commit: string,
  other: string,
): Promise<MergeBase | null> {
  const script = [
    'found=$(git merge-base "$1" "$2") || exit 1',
    // Another one could only be hidden behind a cut that is not itself behind the one that was found.
    'if [ -f "$3/shallow" ] && git rev-list "$1" "$2" --not "$found" | grep -qxFf "$3/shallow"; then exit 1; fi',
    'echo "$found"; git rev-list --count "$found..$1"',
  ].join('\n');
  const result = await runGitScript(on, gitDir, script, [commit, other, gitDir]);
  if (result.exitCode !== 0) return null;
  const [found = '', since = ''] = result.stdout.toString('latin1').split('\n');
  return { commit: found, since: Number(since) };
}

/** A host that takes too long with its history may still hand out a commit. */
async function orTimeout(fetching: Promise<CommandResult>): Promise<CommandResult | null> {
  try {
    return await fetching;
  } catch (error) {
    if (error instanceof ConfinedTimeout) return null;
    throw error;
  }
}
