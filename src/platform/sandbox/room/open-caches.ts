import { realpath } from 'node:fs/promises';
import { SandgateError } from '../../../domain/errors.js';
import { isFolder } from '../../host/folders.js';

/**
 * The real places of the caches that sandboxes of this host may read (docs/sandbox.md). Links are resolved once, when the worker starts.
 * Nothing of the control plane's own may be among them: its keys lie in the data folder.
 *
 * @throws SandgateError `unavailable` naming the folder that cannot be shown, and why
 */
export async function openCaches(
  caches: Readonly<Record<string, string>>,
  dataDir: string,
): Promise<Record<string, string>> {
  const opened = Object.entries(caches).map(async ([name, path]) => {
    const real = await realpath(path).catch(() => null);
    if (real === null || !(await isFolder(real))) throw refusal(name, path, 'is not a folder of this host');
    const [outer, inner] = [real, dataDir].map((folder) => (folder.endsWith('/') ? folder : `${folder}/`)) as [string, string]; // prettier-ignore
    if (outer.startsWith(inner) || inner.startsWith(outer))
      throw refusal(name, path, `has a part of the data folder ${dataDir} in it, or lies there`);
    return [name, real] as const;
  });
  return Object.fromEntries(await Promise.all(opened));
}

function refusal(name: string, path: string, reason: string): SandgateError {
  return new SandgateError('unavailable', `SERVICE_SANDBOX_CACHES: ${name}=${path} ${reason}`);
}
