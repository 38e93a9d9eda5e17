import { constants } from 'node:fs';
import { open, readdir, readlink } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { pathProblem, textProblem } from '../../domain/workspace/archive-path.js';
import type { ArchivePacker } from './pack.js';

/**
 * Adds everything below a folder that nobody changes meanwhile, in the order of its names, as `top/…`. Links stay links, wherever they lead.
 *
 * @throws SandgateError `invalid_request` for what no archive carries: names that are no UTF-8, special files, folders that lie too deep
 */
export async function packTree(packer: ArchivePacker, root: string, top: string): Promise<void> {
  await packer.folder(top);
  await packFolder(packer, root, top);
}

async function packFolder(packer: ArchivePacker, folder: string, path: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  for (const entry of entries.toSorted((one, other) => Buffer.compare(one.name, other.name))) {
    const name = entry.name.toString('utf8');
    await packEntry(packer, entry, { place: join(folder, name), path: `${path}/${name}` });
  }
}

async function packEntry(
  packer: ArchivePacker,
  entry: Dirent<Buffer>,
  { place, path }: { place: string; path: string },
): Promise<void> {
  const problem = pathProblem(path.split('/'));
  if (problem !== null) throw unpackable(path, problem);
  if (entry.isDirectory()) {
    await packer.folder(path);
    return packFolder(packer, place, path);
  }
  if (entry.isSymbolicLink()) return packLink(packer, place, path);
  if (!entry.isFile()) throw unpackable(path, 'is neither a file, a folder nor a link');
  await using file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { size, mode } = await file.stat();
  await packer.file(path, file, { size, executable: (mode & 0o100) !== 0 });
}

async function packLink(packer: ArchivePacker, place: string, path: string): Promise<void> {
  const target = await readlink(place);
  const problem = textProblem(target);
  if (problem !== null) throw unpackable(path, `is a link whose target ${problem}`);
  await packer.link(path, target);
}

function unpackable(path: string, problem: string): SandgateError {
  return new SandgateError('invalid_request', `the workspace cannot be packed: ${JSON.stringify(path)} ${problem}`);
}
