import { SandgateError } from '../../domain/errors.js';
import type { BaseFile } from '../../domain/setup/layer-key.js';
import type { Confine } from '../host/confine.js';
import { failureText, GIT_CALL_MS, runGit } from './git-command.js';
import { ScratchFolder } from './scratch-folder.js';

/** Of a repository with the most files that a workspace may have. */
const MAX_LISTING_BYTES = 128 * 1024 * 1024;

/** Everything that a base commit holds, with the ids of the contents. */
export async function listBase(request: {
  confine: Confine;
  baselineDir: string;
  baseCommit: string;
  /** Host uid that owns the baseline, null when it is the uid of this process. */
  uid: number | null;
}): Promise<BaseFile[]> {
  const { confine, baselineDir, baseCommit, uid } = request;
  await using scratch = await ScratchFolder.create(baselineDir, uid);
  const until = Date.now() + GIT_CALL_MS;
  const on = { confine, uid, scratch: scratch.path, readOnly: [baselineDir], readWrite: [], until };
  const argv = ['ls-tree', '-r', '-z', '--full-tree', baseCommit];
  const result = await runGit(on, baselineDir, argv, { maxOutputBytes: MAX_LISTING_BYTES });
  if (result.exitCode !== 0)
    throw new SandgateError('internal', `the base commit could not be listed: ${failureText(result)}`);
  return result.stdout.toString('utf8').split('\0').filter(Boolean).map(toFile);
}

/** `<mode> <type> <id>` and, after a tab, the path. */
function toFile(line: string): BaseFile {
  const tab = line.indexOf('\t');
  return { path: line.slice(tab + 1), id: line.slice(0, tab).split(' ')[2] ?? '' };
}
