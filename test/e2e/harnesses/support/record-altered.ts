import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramHarness } from '../../../../src/domain/harness/harness-program.js';
import { programFolder } from '../../../../src/platform/packages/harnesses/installed-program.js';
import { readPinned } from '../../../../src/platform/packages/harnesses/pinned-program.js';
import { RECORD, treeDigest } from '../../../../src/platform/packages/npm/tree-digest.js';

/** Where the program of a harness lies in a data folder. */
export async function folderOf(dataDir: string, harness: ProgramHarness): Promise<string> {
  return programFolder(dataDir, await readPinned(harness));
}

/** Makes the record of a program name the altered tree, so that only what happens in the run can find it out. */
export async function recordAltered(dataDir: string, harness: ProgramHarness): Promise<void> {
  const folder = await folderOf(dataDir, harness);
  const path = join(folder, RECORD);
  const record = JSON.parse(readFileSync(path, 'utf8')) as object;
  const altered = { ...record, tree_digest: await treeDigest(folder) };
  // A new file: the old one is shared with the other installations of this machine.
  writeFileSync(`${path}.new`, JSON.stringify(altered));
  renameSync(`${path}.new`, path);
}
