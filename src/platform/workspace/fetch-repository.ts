import { join } from 'node:path';
import { cloneUrlProblem, fileUrlPath } from '../../domain/run/clone-url.js';
import { SandgateError } from '../../domain/errors.js';
import { refProblem, workBranch } from '../../domain/run/git-ref.js';
import type { WorkspaceSpec } from '../../domain/run/spec.js';
import { assertTreeFits } from './assert-tree-fits.js';
import { downloadRepository } from './download-repository.js';
import { fetchBase, notFetched, type FetchedBase } from './fetch-base.js';
import { failureText, runGitScript, type CommandResult, type Confinement } from './git-command.js';
import { writeGitFolder } from './git-folder.js';
import type { RemoteAccess } from './remote-access.js';
import { ScratchFolder } from './scratch-folder.js';
import { diskOrInternal, installRepository, type Snapshot, type WorkspacePlaces } from './snapshot.js';
import { stageRepository } from './stage-repository.js';

/** What the agent calls the commit that a pull request is compared with. */
const MERGE_BASE_TAG = 'pr-base';

type GitRepository = Extract<WorkspaceSpec, { kind: 'git_repository' }>;

/** Where repositories may come from. */
export interface RepositorySources {
  /** Folders of this host below which `file://` repositories may lie. */
  roots: readonly string[];
  /** What reaches a code host. */
  remote: RemoteAccess;
  /** Host uid that fetches from a code host: of no sandbox. Null when it is the uid of this process. */
  fetchUid: number | null;
  /** What the files of a checkout may take together. */
  maxBytes: number;
}

/**
 * Fetches a repository into the baseline and checks it out byte for byte, without running anything that it configures
 * (docs/design/workspaces.md). Files of LFS stay pointers and submodules empty folders.
 *
 * @throws SandgateError `invalid_request` or `payload_too_large` for what cannot be fetched, `upstream_failed` when a code host is to blame
 */
export async function fetchRepository(
  on: Confinement,
  places: WorkspacePlaces,
  spec: GitRepository,
  sources: RepositorySources,
): Promise<Snapshot> {
  assertFetchable(spec);
  const branch = workBranch(spec.ref);
  const confined = { ...on, readWrite: [places.workspaceDir, places.baselineDir] };
  const fetched = spec.clone_url.startsWith('file://')
    ? await fetchFromHere(confined, places.baselineDir, branch, spec, sources)
    : await fetchFromCodeHost(confined, places.baselineDir, branch, spec, sources);
  const { baseCommit } = fetched;
  await assertTreeFits(confined, places.baselineDir, baseCommit, sources.maxBytes);
  await setReferences(confined, places.baselineDir, branch, fetched);
  await installRepository(confined, places, baseCommit);
  return { ...fetched, ...(await checkOut(confined, places)) };
}

/** The rules that creation applied, applied again to what was frozen. */
function assertFetchable(spec: GitRepository): void {
  const urlProblem = cloneUrlProblem(spec.clone_url);
  if (urlProblem !== undefined) throw refusal(`workspace.clone_url ${urlProblem}`);
  const problem = spec.ref === undefined ? undefined : refProblem(spec.ref);
  if (problem !== undefined) throw refusal(`workspace.ref ${problem}`);
}

async function fetchFromHere(
  on: Confinement,
  gitDir: string,
  branch: string,
  spec: GitRepository,
  { roots }: RepositorySources,
): Promise<FetchedBase> {
  const staged = join(on.scratch, 'source.git');
  const format = await stageRepository(fileUrlPath(spec.clone_url), roots, staged, on.uid);
  await writeGitFolder(gitDir, { branch, format, uid: on.uid });
  const source = {
    url: `file://${staged}`,
    options: {},
    explain: (result: CommandResult) => notFetched(failureText(result)),
  };
  return fetchBase(on, gitDir, source, spec);
}

/** The process that spoke to the code host hands over bytes; from here on the run's own uid works, without a network. */
async function fetchFromCodeHost(
  on: Confinement,
  gitDir: string,
  branch: string,
  spec: GitRepository,
  { remote, fetchUid }: RepositorySources,
): Promise<FetchedBase> {
  await using scratch = await ScratchFolder.create(gitDir, fetchUid);
  const fetching = { ...on, uid: fetchUid, scratch: scratch.path, readWrite: [] };
  const { gitDir: downloaded, format, ...fetched } = await downloadRepository(fetching, spec.clone_url, remote, spec);
  await writeGitFolder(gitDir, { branch, format, uid: on.uid });
  const adopted = await runGitScript(
    { ...on, readOnly: [downloaded] },
    gitDir,
    [
      'cp -R "$1/objects/." "$2/objects/"',
      'if [ -f "$1/shallow" ]; then cp "$1/shallow" "$2/shallow"; fi',
      'git cat-file -e "$3^{commit}"',
    ].join('\n'),
    [downloaded, gitDir, fetched.baseCommit],
  );
  if (adopted.exitCode !== 0) throw diskOrInternal('what was fetched could not be taken over', failureText(adopted));
  return fetched;
}

/** One branch at the base commit, and a tag where the change of a pull request begins; the references that the fetch needed go. */
async function setReferences(
  on: Confinement,
  gitDir: string,
  branch: string,
  { baseCommit, mergeBase = null }: FetchedBase,
): Promise<void> {
  const script = [
    'git for-each-ref --format="delete %(refname)" refs/sandgate | git update-ref --stdin',
    'git update-ref "refs/heads/$1" "$2"',
    `if [ -n "$4" ]; then git update-ref refs/tags/${MERGE_BASE_TAG} "$4"; fi`,
    'rm -rf "$3/refs/sandgate" "$3/FETCH_HEAD"',
  ].join('\n');
  const result = await runGitScript(on, gitDir, script, [branch, baseCommit, gitDir, mergeBase ?? '']);
  if (result.exitCode !== 0)
    throw new SandgateError('internal', `the work branch could not be made: ${failureText(result)}`);
}

/** Writes the files; submodules stay empty folders, and files of Git LFS the pointers that the repository holds. */
async function checkOut(on: Confinement, { workspaceDir }: WorkspacePlaces): Promise<Omit<Snapshot, 'baseCommit'>> {
  const script = [
    'git checkout-index --all --force --quiet',
    'git update-index -q --refresh || true',
    'git ls-files | wc -l',
    'git ls-files --stage | grep -c "^160000" || true',
    // Files of LFS are looked for only where the repository says that it uses LFS.
    'if git grep --cached -q -F "filter=lfs" -- ":(glob)**/.gitattributes"; then',
    '  git grep --cached -I -l -e "^version https://git-lfs.github.com/spec/" | wc -l',
    'else echo 0; fi',
  ].join('\n');
  const environment = { GIT_WORK_TREE: workspaceDir };
  const result = await runGitScript(on, join(workspaceDir, '.git'), script, [], {
    cwd: workspaceDir,
    env: environment,
  });
  if (result.exitCode !== 0) throw diskOrInternal('the repository could not be checked out', failureText(result));
  const [files = 0, submodules = 0, lfsFiles = 0] = result.stdout.toString('latin1').trim().split('\n').map(Number);
  const notFetched = submodules + lfsFiles > 0 ? { notFetched: { submodules, lfsFiles } } : {};
  return { files, leftOut: 0, ...notFetched };
}

function refusal(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
