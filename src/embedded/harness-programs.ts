import type { ProgramHarness } from '../domain/harness/harness-program.js';
import { installProgram } from '../platform/harness-programs/install-program.js';
import type { InstalledProgram } from '../platform/harness-programs/installed-program.js';
import { readPinned, type PinnedProgram } from '../platform/harness-programs/pinned-program.js';

/** What the command line does with the programs of harnesses in the state folder of this machine. */
export { removeProgram } from '../platform/harness-programs/install-program.js';
export { listInstalledPrograms, type InstalledProgram } from '../platform/harness-programs/installed-program.js';

export function pinnedProgram(harness: ProgramHarness): Promise<PinnedProgram> {
  return readPinned(harness);
}

export async function installHarness(dataDir: string, harness: ProgramHarness): Promise<InstalledProgram> {
  return installProgram(dataDir, await readPinned(harness));
}
