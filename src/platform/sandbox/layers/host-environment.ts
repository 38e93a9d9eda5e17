import { readFile, stat } from 'node:fs/promises';
import { digestOf } from '../../../domain/digest/digest.js';
import { isMissing } from '../../../domain/system-error.js';
import { unchangedFileDigest } from './unchanged-file.js';

/** They change when a package of the system does, whichever manager it has. */
const PACKAGE_LISTS = [
  '/var/lib/dpkg/status',
  '/var/lib/rpm/rpmdb.sqlite',
  '/lib/apk/db/installed',
  '/usr/local/go/VERSION',
];
/** Programs that no package manager brought. */
const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/local/lib'];

/** Names everything of this host that the results of commands depend on: provider, runner, system and its packages. */
export async function hostEnvironment(provider: string, runtime: string): Promise<string> {
  const [system, ...lists] = await Promise.all([
    absentIfMissing(readFile('/etc/os-release', 'utf8')),
    ...PACKAGE_LISTS.map((list) => absentIfMissing(unchangedFileDigest(list))),
    ...PROGRAM_FOLDERS.map((folder) => absentIfMissing(stat(folder).then(({ mtimeMs }) => String(mtimeMs)))),
  ]);
  return digestOf({ provider, runtime, machine: process.arch, system: system ?? null, lists });
}

async function absentIfMissing(reading: Promise<string>): Promise<string | null> {
  try {
    return await reading;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
