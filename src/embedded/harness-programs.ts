import { join } from 'node:path';
import type { ProgramHarness } from '../domain/harness/harness-program.js';
import { copyProgram } from '../platform/packages/harnesses/copy-program.js';
import { installProgram } from '../platform/packages/harnesses/install-program.js';
import type { InstalledProgram } from '../platform/packages/harnesses/installed-program.js';
import { readPinned, type PinnedProgram } from '../platform/packages/harnesses/pinned-program.js';
import { cacheDir } from './temporal-binary.js';

/** What the command line does with the programs of harnesses in the state folder of this machine. */
export { removeProgram } from '../platform/packages/harnesses/install-program.js';
export { listInstalledPrograms, type InstalledProgram } from '../platform/packages/harnesses/installed-program.js';

export function pinnedProgram(harness: ProgramHarness): Promise<PinnedProgram> {
  return readPinned(harness);
}

export async function installHarness(dataDir: string, harness: ProgramHarness): Promise<InstalledProgram> {
  return installProgram(dataDir, await readPinned(harness));
}

/** The same for a data folder that does not last: the program is fetched into the user's cache once and shared from there. */
export async function provideHarness(dataDir: string, harness: ProgramHarness): Promise<InstalledProgram> {
  const pinned = await readPinned(harness);
  const kept = join(cacheDir(), 'harness-programs');
  await installProgram(kept, pinned);
  return copyProgram(kept, dataDir, pinned);
}
