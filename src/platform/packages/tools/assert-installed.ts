import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import type { FrozenBundle } from '../../../domain/run/spec.js';
import { isMissing } from '../../../domain/system-error.js';
import { toolPackageText, toolPathsOf, type ToolPath } from '../../../domain/tools/tool-package.js';
import { unchangedDigest } from '../npm/unchanged-digest.js';
import { packageFolder, readInstalled } from './tool-folder.js';

/**
 * Makes sure before a run starts that what its bundles name below `/opt/sandgate/tools` is installed on this host and is what was
 * installed. The content is read when a file's stamp changed since this process last read it.
 * @throws SandgateError `conflict` saying what to install, for the run's `run.error`
 */
export async function assertToolsInstalled(
  dataDir: string,
  bundles: readonly FrozenBundle[] | undefined,
): Promise<void> {
  for (const bundle of bundles ?? []) {
    for (const path of toolPathsOf(bundle.servers))
      await assertInstalled(dataDir, `${bundle.name}@${bundle.version}`, path);
  }
}

async function assertInstalled(dataDir: string, bundle: string, { path, owner, rest }: ToolPath): Promise<void> {
  if (owner === null)
    throw refusal(
      `bundle ${bundle} names ${path}, which is not the path of an installed package; publish a new version`,
    );
  const text = toolPackageText(owner);
  const installed = await readInstalled(dataDir, owner);
  if (installed === null)
    throw refusal(
      `bundle ${bundle} names ${path}, and ${text} is not installed on the host of the sandbox: run \`sandgate tools install ${text}\` there and start the run again`,
    );
  if ((await unchangedDigest(packageFolder(dataDir, owner))) !== installed.tree_digest)
    throw refusal(
      `the files of ${text}, which bundle ${bundle} names, are not those that were installed: run \`sandgate tools remove ${text}\` and \`sandgate tools install ${text}\` on the host of the sandbox`,
    );
  if (!(await isFile(join(packageFolder(dataDir, owner), rest))))
    throw refusal(
      `bundle ${bundle} names ${path}, which ${text} does not have; its commands are ${Object.keys(installed.commands).join(', ') || 'none'}`,
    );
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function refusal(reason: string): SandgateError {
  return new SandgateError('conflict', `the run cannot start: ${reason}`);
}
