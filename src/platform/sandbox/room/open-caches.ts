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
    if (liesIn(real, dataDir) || liesIn(dataDir, real))
      throw refusal(name, path, `has a part of the data folder ${dataDir} in it, or lies there`);
    return [name, real] as const;
  });
  return Object.fromEntries(await Promise.all(opened));
}

/** Whether one real folder is the other, or is somewhere in it. */
function liesIn(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

function refusal(name: string, path: string, reason: string): SandgateError {
  return new SandgateError('unavailable', `SERVICE_SANDBOX_CACHES: ${name}=${path} ${reason}`);
}
