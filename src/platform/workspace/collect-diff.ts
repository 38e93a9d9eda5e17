import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import type { Confine } from '../host/confine.js';
import { isFolder } from '../host/folders.js';
import { ConfinedTimeout, failureText, GIT_CALL_MS, runGitScript, type Confinement } from './git-command.js';
import { writeGitFolder } from './git-folder.js';
import { patchTrailer } from './patch-trailer.js';
import { scanTree } from './scan-tree.js';
import type { LeftOut, ScanReport } from './scanner/main.js';
import { ScratchFolder } from './scratch-folder.js';

/** Bytes of a stored diff; a larger one is cut (docs/design/workspaces.md). */
const MAX_PATCH_BYTES = 8 * 1024 * 1024;
const COLLECT_MS = 120_000;
const DIGEST_MS = 30_000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How long the full comparison may take before one without large changed files is tried. */
const FULL_DIFF_MS = 50_000;

interface CollectRequest {
  confine: Confine;
  workspaceDir: string;
  baselineDir: string;
  baseCommit: string;
  /** Host uid that owns the workspace, null when it is the uid of this process. */
  uid: number | null;
  /** Milliseconds for everything, 120 s at most. */
  timeoutMs?: number;
}

/** What a run changed. */
export interface CollectedDiff {
  /** A patch for `git apply` with a trailer of `# ` lines, or `(no changes)` (followed by the trailer if there is one). */
  patch: Buffer;
  /** The patch was longer than 8 MiB and is cut; it no longer applies. */
  truncated: boolean;
  /** No regular file, link or mode differs from the base commit. */
  empty: boolean;
  /** What the patch does not carry, as its trailer names it. */
  leftOut: LeftOut[];
}

/** Why there is no diff; `message` is the reason of the missing marker. */
class DiffMissing extends SandgateError {
  constructor(reason: string, cause?: unknown) {
    super('internal', reason, cause === undefined ? {} : { cause });
  }
}

/**
 * Takes the diff of a dead sandbox's workspace against the base commit. git never sees the agent's tree: a
 * confined scanner reads it and feeds a fresh index in a throwaway git folder made from the baseline, so ignore files, attributes,
 * nested repositories, hooks and configuration of the tree have no effect.
 *
 * @throws DiffMissing with `collection_timeout`, `worktree_absent`, `baseline_absent` or the collector's own words
 */
export async function collectDiff(request: CollectRequest): Promise<CollectedDiff> {
  if (!(await isThere(request.workspaceDir))) throw new DiffMissing('worktree_absent');
  if (!(await isThere(request.baselineDir))) throw new DiffMissing('baseline_absent');
  try {
    return await collect(request);
  } catch (error) {
    if (error instanceof DiffMissing) throw error;
    if (error instanceof ConfinedTimeout) throw new DiffMissing('collection_timeout', error);
    throw new DiffMissing(`collector failed: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** A folder that cannot be looked at is as good as gone: no later attempt would find it. */
function isThere(folder: string): Promise<boolean> {
  return isFolder(folder).catch(() => false);
}

async function collect({
  confine,
  workspaceDir,
  baselineDir,
  baseCommit,
  uid,
  timeoutMs,
}: CollectRequest): Promise<CollectedDiff> {
  const until = Date.now() + Math.min(timeoutMs ?? COLLECT_MS, COLLECT_MS);
  await using scratch = await ScratchFolder.create(baselineDir, uid);
  const format = baseCommit.length === 64 ? 'sha256' : 'sha1';
  const gitDir = join(scratch.path, 'git');
  await writeGitFolder(gitDir, { branch: 'collected', format, uid, alternates: join(baselineDir, 'objects') });
  const on: Confinement = { confine, uid, scratch: scratch.path, readOnly: [baselineDir], readWrite: [], until };
  await listBase(on, gitDir, baseCommit);
  // Writable, so that the scanner can restore the owner's right to read what the agent locked.
  const report = await scanTree(
    { ...on, readWrite: [workspaceDir] },
    {
      root: workspaceDir,
      objects: join(gitDir, 'objects'),
      format,
      purpose: 'diff',
      baseListing: join(scratch.path, 'base'),
      baseline: baselineDir,
      maxFileBytes: MAX_FILE_BYTES,
      digestMs: Math.min(DIGEST_MS, (until - Date.now()) / 3),
    },
  );
  await indexPack(on, gitDir);
  return finish(await compare(on, gitDir, baseCommit, report), report);
}

async function listBase(on: Confinement, gitDir: string, baseCommit: string): Promise<void> {
  const script = 'git ls-tree -r -z --full-tree "$1" > "$2"';
  const result = await runGitScript(on, gitDir, script, [baseCommit, join(on.scratch, 'base')]);
  if (result.exitCode !== 0) throw new DiffMissing(`base commit unreadable: ${failureText(result)}`);
}

/** Makes what the scanner packed readable for git. */
async function indexPack(on: Confinement, gitDir: string): Promise<void> {
  const script = 'pack=$(cat "$1/pack"); if [ -n "$pack" ]; then git index-pack "$pack" > "$1/packed"; fi';
  const result = await runGitScript(on, gitDir, script, [on.scratch]);
  if (result.exitCode !== 0) throw new DiffMissing(`packing failed: ${failureText(result)}`);
}

const DIFF = [
  'git diff-tree -r -p --binary --full-index --no-color --no-ext-diff --no-textconv -M -l400',
  '--src-prefix=a/ --dst-prefix=b/ --ignore-submodules=none --submodule=short',
].join(' ');

/** The patch, or, when comparing large changed files takes too long or too much memory, the patch without those. */
async function compare(on: Confinement, gitDir: string, baseCommit: string, report: ScanReport): Promise<Buffer> {
  if (report.heavy.length === 0) return patchOf(on, gitDir, baseCommit, 'index', GIT_CALL_MS);
  try {
    return await patchOf(on, gitDir, baseCommit, 'index', FULL_DIFF_MS);
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    report.leftOut.push(...report.heavy.map((path) => asTooCostly(path)));
    return patchOf(on, gitDir, baseCommit, 'index.light', GIT_CALL_MS);
  }
}

function asTooCostly(path: string): LeftOut {
  return { path, folder: false, why: 'too costly to compare', files: 1, bytes: 0, digest: null };
}

async function patchOf(
  on: Confinement,
  gitDir: string,
  baseCommit: string,
  index: string,
  timeoutMs: number,
): Promise<Buffer> {
  const script = [
    'export GIT_INDEX_FILE="$3"',
    'rm -f "$3"',
    'git update-index -z --index-info < "$2"',
    'tree=$(git write-tree)',
    `exec ${DIFF} "$1" "$tree" --`,
  ].join('\n');
  const parameters = [`${baseCommit}^{tree}`, join(on.scratch, index), join(on.scratch, 'fresh-index')];
  const maxOutputBytes = MAX_PATCH_BYTES + 1;
  const result = await runGitScript(on, gitDir, script, parameters, { timeoutMs, maxOutputBytes });
  if (result.stdout.length > MAX_PATCH_BYTES) return result.stdout;
  if (result.exitCode !== 0) throw new DiffMissing(`comparing failed: ${failureText(result)}`);
  return result.stdout;
}

function finish(output: Buffer, report: ScanReport): CollectedDiff {
  const { leftOut } = report;
  const truncated = output.length > MAX_PATCH_BYTES;
  const trailer = Buffer.from(patchTrailer({ leftOut, unlisted: report.unlisted, truncated }));
  if (output.length === 0) {
    const patch = Buffer.concat([Buffer.from(trailer.length === 0 ? NO_CHANGES : `${NO_CHANGES}\n`), trailer]);
    return { patch, truncated: false, empty: true, leftOut };
  }
  const room = MAX_PATCH_BYTES - trailer.length;
  if (output.length <= room)
    return { patch: Buffer.concat([output, trailer]), truncated: false, empty: false, leftOut };
  const end = Buffer.from(`${CUT_LINE}${patchTrailer({ leftOut, unlisted: report.unlisted, truncated: true })}`);
  const patch = Buffer.concat([cut(output, MAX_PATCH_BYTES - end.length), end]);
  return { patch, truncated: true, empty: false, leftOut };
}

/** A hunk without a file: `git apply` refuses a patch that holds it, so a cut patch is never applied in part. */
const CUT_LINE = '@@ -0,0 +0,0 @@ the patch is cut here\n';

/**
 * The beginning of a patch, in whole lines. Binary data that would be cut goes altogether: git reads past a damaged binary part
 * as if the patch ended there and applies what came before.
 */
function cut(patch: Buffer, room: number): Buffer {
  const lines = patch.subarray(0, patch.lastIndexOf(10, room - 1) + 1);
  const lastFile = lines.lastIndexOf('\ndiff --git ');
  const binary = lines.indexOf('\nGIT binary patch\n', Math.max(0, lastFile));
  return binary < 0 ? lines : lines.subarray(0, binary + 1);
}

const NO_CHANGES = '(no changes)';
