import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ProgramHarness } from '../../src/domain/harness/harness-program.js';
import { copyProgram } from '../../src/platform/harness-programs/copy-program.js';
import { installProgram } from '../../src/platform/harness-programs/install-program.js';
import { readPinned } from '../../src/platform/harness-programs/pinned-program.js';

/** Programs are fetched once for all suites of this machine. */
const KEPT = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'harness-programs');

/** Installs the program of a harness into the data folder of a test, as `sandgate harness install` does; call it before a run starts. */
export async function placeHarness(dataDir: string, harness: ProgramHarness): Promise<void> {
  const pinned = await readPinned(harness);
  await installProgram(KEPT, pinned);
  await copyProgram(KEPT, dataDir, pinned);
}
