import { realpath } from 'node:fs/promises';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../host/directory-handle.js';

/** Whether `path` is `folder` or lies inside it; both canonical. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/**
 * Opens a folder that the operator named, provided that it really lies inside one of the allowed folders: where the open
 * descriptor stands is compared, so no link and no exchange of a part of the path can lead elsewhere (docs/design/workspaces.md).
 *
 * @param what the member of the request, for the refusal
 * @throws SandgateError `invalid_request` when it is missing, no folder, or outside
 */
export async function openAllowed(path: string, roots: readonly string[], what: string): Promise<DirectoryHandle> {
  const allowed = await canonicalRoots(roots);
  if (allowed.length === 0) {
    throw refusal(`${what} ${path} is refused: SERVICE_LOCAL_COPY_ROOTS allows no folder of the server`);
  }
  const folder = await openFolder(path, what);
  const place = await folder.realPath();
  if (allowed.some((root) => isInside(place, root))) return folder;
  await folder[Symbol.asyncDispose]();
  throw refusal(
    `${what} ${path} is refused: it is not inside a folder of SERVICE_LOCAL_COPY_ROOTS (${roots.join(', ')})`,
  );
}

async function openFolder(path: string, what: string): Promise<DirectoryHandle> {
  try {
    return await DirectoryHandle.open(await realpath(path));
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'))
      throw refusal(`${what} ${path} is not a folder on this host`);
    if (isSystemError(error, 'EACCES', 'EPERM')) throw refusal(`${what} ${path} may not be read by the server`);
    throw error;
  }
}

/** Roots that exist; a missing one allows nothing. */
export async function canonicalRoots(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    roots.map(async (root) => {
      try {
        return await realpath(root);
      } catch (error) {
        if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return undefined;
        throw error;
      }
    }),
  );
  return found.filter((root) => root !== undefined);
}

function refusal(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
