import { createReadStream } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { extractArchive, type ArchiveRules } from '../../archive/extract.js';
import { emptyTree } from '../../host/remove-tree.js';
import { ArchivePlaces } from './archive-places.js';
import { ARCHIVE_TOPS } from './archive-tops.js';
import { fetchArchive } from './fetch-archive.js';

const GIB = 1024 ** 3;
/** Stands beside the baseline while it is fetched and unpacked. */
const ARCHIVE = 'workspace.tar.gz';

/** Of a workspace that this deployment packed itself: its limits are those of a disk, not of a stranger's archive. */
function rulesFor(packed: number): ArchiveRules {
  return {
    limits: { packed, unpacked: 4 * GIB, content: 4 * GIB, files: 1_000_000, links: 100_000, entries: 2_000_000 },
    withoutSecrets: false,
  };
}

/**
 * Brings the workspace of a run into a sandbox that shares no files with the control plane (docs/design/workspaces.md): a program of its own that
 * ends before the runner starts. It fetches the archive, verifies it, and unpacks it into two empty folders. Whatever fails ends it with
 * code 1 and one line that says why.
 */
async function bringWorkspace(env: NodeJS.ProcessEnv): Promise<void> {
  const [workspace, collector] = [variable(env, 'SERVICE_WORKSPACE'), variable(env, 'SERVICE_COLLECTOR_DIR')];
  const bytes = lengthIn(variable(env, 'SERVICE_ARCHIVE_LEN'));
  const archive = join(collector, ARCHIVE);
  for (const folder of [workspace, collector]) await emptyFolder(folder);
  await fetchArchive(
    {
      url: new URL(variable(env, 'SERVICE_WORKSPACE_ARCHIVE_URL')),
      token: variable(env, 'SERVICE_SESSION_TOKEN'),
      digest: variable(env, 'SERVICE_ARCHIVE_SHA256'),
      bytes,
    },
    archive,
  );
  process.umask(0o022);
  const baseline = join(collector, ARCHIVE_TOPS.baseline);
  await mkdir(baseline);
  const places = new ArchivePlaces({ [ARCHIVE_TOPS.workspace]: workspace, [ARCHIVE_TOPS.baseline]: baseline });
  await extractArchive(createReadStream(archive) as AsyncIterable<Buffer>, places, rulesFor(bytes));
  await rm(archive);
}

async function emptyFolder(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) throw new SandgateError('invalid_request', `${path} is no folder`);
  await emptyTree(path);
}

function lengthIn(value: string): number {
  if (!/^\d{1,15}$/.test(value))
    throw new SandgateError('invalid_request', 'SERVICE_ARCHIVE_LEN is no number of bytes');
  return Number(value);
}

function variable(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name] ?? '';
  if (value === '') throw new SandgateError('invalid_request', `${name} is not set`);
  return value;
}

try {
  await bringWorkspace(process.env);
} catch (error) {
  process.stderr.write(`${error instanceof SandgateError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
