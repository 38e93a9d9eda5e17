import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathProblem, textProblem } from '../domain/workspace/archive-path.js';
import { packArchive, type ArchivePacker } from '../platform/archive/pack.js';
import type { Confine } from '../platform/host/confine.js';
import { selectFiles, type SelectionCount, type SelectionTaker } from '../platform/workspace/select-files.js';

/** What a server takes at most (SERVICE_MAX_ARCHIVE_BYTES). */
const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;
const SELECT_MS = 30 * 60_000;
const GIT_MS = 10_000;

/** An archive of a folder of this machine, in a temporary file that goes with it. */
export interface PackedWorkspace extends AsyncDisposable {
  path: string;
  /** Of the archive. */
  bytes: number;
  files: number;
  leftOut: number;
  /** The commit that is checked out; null outside a repository, and before its first commit. */
  baseCommit: string | null;
}

/**
 * Packs the files of a folder as a server on this machine would copy them (docs/design/workspaces.md). It is the user's own folder: git runs
 * as the user, as it does in their shell.
 *
 * @throws SandgateError `invalid_request` or `payload_too_large` with a sentence about the folder
 */
export async function packWorkspace(request: {
  folder: string;
  include: readonly string[];
  /** State of an installation on this machine, which no workspace gets. */
  stateDir: string;
}): Promise<PackedWorkspace> {
  const scratch = await mkdtemp(join(tmpdir(), 'sandgate-pack-'));
  const remove = () => rm(scratch, { recursive: true, force: true });
  try {
    const path = join(scratch, 'workspace.tar.gz');
    const count = await packInto(path, join(scratch, 'git'), request);
    const [{ size: bytes }, baseCommit] = await Promise.all([stat(path), headOf(request.folder)]);
    return { path, bytes, files: count.files, leftOut: count.leftOut, baseCommit, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function packInto(
  path: string,
  scratch: string,
  { folder, include, stateDir }: Parameters<typeof packWorkspace>[0],
): Promise<SelectionCount> {
  await mkdir(scratch);
  const on = { confine: runUnconfined, uid: null, scratch, readOnly: [], readWrite: [], until: Date.now() + SELECT_MS };
  const selection = { path: folder, include, roots: ['/'], stateDir, named: folder };
  let count: SelectionCount = { files: 0, bytes: 0, leftOut: 0 };
  await packArchive(createWriteStream(path, { mode: 0o600 }), MAX_ARCHIVE_BYTES, async (packer) => {
    count = await selectFiles(on, selection, new Packing(packer), new PackedFolder(''));
  });
  return count;
}

/** Where the entries of one folder go: its path in the archive, empty or ending in a slash. */
class PackedFolder implements AsyncDisposable {
  constructor(readonly prefix: string) {}

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

class Packing implements SelectionTaker<PackedFolder> {
  /** An archive is written entry by entry. */
  readonly parallel = 1;

  constructor(private readonly packer: ArchivePacker) {}

  canTake(path: string, linkTarget?: Buffer): boolean {
    if (pathProblem(path.split('/')) !== null) return false;
    return linkTarget === undefined || textProblem(linkTarget.toString('utf8')) === null;
  }

  async folder({ prefix }: PackedFolder, name: Buffer): Promise<PackedFolder> {
    const path = `${prefix}${name.toString('utf8')}`;
    await this.packer.folder(path);
    return new PackedFolder(`${path}/`);
  }

  file({ prefix }: PackedFolder, name: Buffer, file: FileHandle, of: { size: number; mode: number }): Promise<void> {
    const executable = (of.mode & 0o100) !== 0;
    return this.packer.file(`${prefix}${name.toString('utf8')}`, file, { size: of.size, executable });
  }

  link({ prefix }: PackedFolder, name: Buffer, target: Buffer): Promise<void> {
    return this.packer.link(`${prefix}${name.toString('utf8')}`, target.toString('utf8'));
  }
}

async function headOf(folder: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', folder, 'rev-parse', '--verify', '--quiet', 'HEAD'], {
      timeout: GIT_MS,
    });
    return stdout.trim();
  } catch (error) {
    // No repository, no commit, or no git: then there is nothing that `apply` could compare.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** Runs git as the user does, with the closed environment that a server gives it. */
const runUnconfined: Confine = async ({ argv, cwd, env, timeoutMs, maxOutputBytes, signal }) => {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  });
  const [output, errors] = [new BoundedOutput(maxOutputBytes), new BoundedOutput(maxOutputBytes)];
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return {
    exitCode,
    stdout: output.content,
    stderr: errors.content,
    timedOut: exitCode === null,
    truncated: output.isCut || errors.isCut,
  };
};

class BoundedOutput {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly max: number) {}

  get isCut(): boolean {
    return this.bytes > this.max;
  }

  get content(): Buffer {
    return Buffer.concat(this.chunks).subarray(0, this.max);
  }

  add(chunk: Buffer): void {
    if (this.bytes < this.max) this.chunks.push(chunk);
    this.bytes += chunk.length;
  }
}
