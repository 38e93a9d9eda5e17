import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ProgramHarness } from '../../src/domain/harness/harness-program.js';
import { installProgram } from '../../src/platform/harness-programs/install-program.js';
import { programFolder } from '../../src/platform/harness-programs/installed-program.js';
import { readPinned } from '../../src/platform/harness-programs/pinned-program.js';

/** Programs are fetched once for all suites of this machine. */
const KEPT = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'test-harnesses');

/** Installs the program of a harness into the data folder of a test, as `sandgate harness install` does; call it before a run starts. */
export async function placeHarness(dataDir: string, harness: ProgramHarness): Promise<void> {
  const pinned = await readPinned(harness);
  await installProgram(KEPT, pinned);
  const target = programFolder(dataDir, pinned);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  const copy = (...how: string[]) =>
    execFileSync('cp', [...how, programFolder(KEPT, pinned), target], { stdio: 'ignore' });
  try {
    copy('-al');
  } catch {
    // Another file system: the bytes are copied.
    copy('-a', '--reflink=auto');
  }
}
