import { SandgateError } from '../../../domain/errors.js';
import { isJsonObject } from '../../../domain/json.js';
import type { ToolPackage } from '../../../domain/tools/tool-package.js';

/** What a lock file says of an installation. */
export interface LockFacts {
  /** Of the package itself. */
  integrity: string;
  packages: number;
}

/**
 * Reads the lock file that npm wrote. Every package must come from the registry with an integrity that npm has verified: one from
 * a repository, a folder or an address has none, and nobody could say later what it was.
 * @throws SandgateError `invalid_request` naming the package that cannot be pinned
 */
export function readLockFile(text: string, { name, version }: ToolPackage): LockFacts {
  const lock: unknown = JSON.parse(text);
  const packages = isJsonObject(lock) && isJsonObject(lock['packages']) ? lock['packages'] : {};
  let count = 0;
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '') continue;
    const pinned = isJsonObject(entry) && typeof entry['integrity'] === 'string' && entry['link'] !== true;
    if (!pinned)
      throw new SandgateError('invalid_request', `${path} does not come from the registry with an integrity`);
    count += 1;
  }
  const own = packages[`node_modules/${name}`];
  if (!isJsonObject(own) || own['version'] !== version || typeof own['integrity'] !== 'string')
    throw new SandgateError('invalid_request', `npm did not install ${name} at version ${version}`);
  return { integrity: own['integrity'], packages: count };
}
