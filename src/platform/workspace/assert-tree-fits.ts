import { SandgateError } from '../../domain/errors.js';
import { failureText, runGitScript, type Confinement } from './git-command.js';

/** Files, links and folders. */
const MAX_ENTRIES = 500_000;
/** Of a path, in folders: some programs, git among them, walk trees by recursion. */
const MAX_DEPTH = 512;

/**
 * Counts what a commit would put into a workspace before anything is written: a few kilobytes of history can name the same
 * folders so often that no disk holds them.
 *
 * @param maxBytes of all files together
 * @throws SandgateError `payload_too_large`
 */
export async function assertTreeFits(on: Confinement, gitDir: string, commit: string, maxBytes: number): Promise<void> {
  const script = [
    // Each line: a size, or "-" for a folder and a submodule, then the path, which git quotes.
    `git ls-tree -r -t --format='%(objectsize) %(path)' "$1" | awk -v files="$2" -v bytes="$3" -v depth="$4" '`,
    '  { count += 1; size += $1 }',
    '  count > files { print "files"; exit }',
    '  size > bytes { print "bytes"; exit }',
    '  gsub("/", "/") > depth { print "depth"; exit }',
    `'`,
  ].join('\n');
  const limits = [String(MAX_ENTRIES), String(maxBytes), String(MAX_DEPTH)];
  const result = await runGitScript(on, gitDir, script, [commit, ...limits]);
  const excess = result.stdout.toString('latin1').trim();
  if (excess === 'files') throw tooLarge(`it has more than ${MAX_ENTRIES} files and folders`);
  if (excess === 'depth') throw tooLarge(`its folders are nested more than ${MAX_DEPTH} deep`);
  if (excess === 'bytes') throw tooLarge('the disk of the sandbox (sandbox.disk_mb) is too small for its files');
  if (result.exitCode !== 0)
    throw new SandgateError('invalid_request', `the repository could not be read: ${failureText(result)}`);
}

function tooLarge(reason: string): SandgateError {
  return new SandgateError('payload_too_large', `the repository could not be checked out: ${reason}`);
}
