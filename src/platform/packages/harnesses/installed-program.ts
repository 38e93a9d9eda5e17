import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import {
  installCommand,
  needsProgram,
  OWN_HARNESSES,
  PROGRAM_HARNESSES,
  type HarnessProgram,
} from '../../../domain/harness/harness-program.js';
import { isJsonObject } from '../../../domain/json.js';
import { isMissing } from '../../../domain/system-error.js';
import { foldersIn } from '../../host/folders.js';
import { RECORD } from '../npm/tree-digest.js';
import { unchangedDigest } from '../npm/unchanged-digest.js';
import { readPinned, type PinnedProgram } from './pinned-program.js';

/** What was recorded of a program when it was installed; its file is `sandgate.json` in the program's folder. */
export interface InstalledProgram extends HarnessProgram {
  /** `sha256:` over the lock file by which it was installed. */
  lock_digest: string;
  /** `sha256:` over paths, modes and contents of all files. */
  tree_digest: string;
  packages: number;
  /** On disk. */
  bytes: number;
  installed_at: string;
}

export function programFolder(
  dataDir: string,
  { harness, version }: Pick<HarnessProgram, 'harness' | 'version'>,
): string {
  return join(dataDir, 'harnesses', harness, version);
}

/** What was recorded of the program at this version; null when it is not installed, or when its record is damaged: it is installed anew then. */
export async function readInstalledProgram(
  dataDir: string,
  program: Pick<HarnessProgram, 'harness' | 'version'>,
): Promise<InstalledProgram | null> {
  const path = join(programFolder(dataDir, program), RECORD);
  try {
    const record: unknown = JSON.parse(await readFile(path, 'utf8'));
    const isWhole =
      isJsonObject(record) && record['harness'] === program.harness && record['version'] === program.version;
    return isWhole ? (record as unknown as InstalledProgram) : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The program as this Sandgate pins it, or null when it is not installed or was installed by another lock file. */
export async function findInstalled(dataDir: string, pinned: PinnedProgram): Promise<InstalledProgram | null> {
  const installed = await readInstalledProgram(dataDir, pinned);
  return installed?.lock_digest === pinned.lockDigest ? installed : null;
}

/** Ids of the harnesses that runs on this host can use: those of Sandgate itself, and those whose program is installed. */
export async function usableHarnesses(dataDir: string): Promise<string[]> {
  const found = await Promise.all(
    PROGRAM_HARNESSES.map(async (harness) => findInstalled(dataDir, await readPinned(harness))),
  );
  return [...OWN_HARNESSES, ...found.flatMap((program) => (program === null ? [] : [program.harness]))];
}

/** Every installed version of every program, also those that an earlier Sandgate used. */
export async function listInstalledPrograms(dataDir: string): Promise<InstalledProgram[]> {
  const found: InstalledProgram[] = [];
  for (const harness of PROGRAM_HARNESSES) {
    for (const version of await foldersIn(join(dataDir, 'harnesses', harness))) {
      const program = await readInstalledProgram(dataDir, { harness, version });
      if (program !== null) found.push(program);
    }
  }
  return found;
}

/** Where the program of this harness is, installed or not, at the version that this Sandgate pins; null for one that is part of Sandgate. */
export async function pinnedProgramFolder(dataDir: string, harness: string): Promise<string | null> {
  return needsProgram(harness) ? programFolder(dataDir, await readPinned(harness)) : null;
}

/**
 * The folder to mount for a run of this harness, or null for one that is part of Sandgate. The content is compared with what was
 * installed; it is read when a file's stamp changed since this process last read it.
 * @throws SandgateError `conflict` saying what to install, for the run's `run.error`
 */
export async function requireProgram(dataDir: string, harness: string): Promise<string | null> {
  if (!needsProgram(harness)) return null;
  const pinned = await readPinned(harness);
  const text = `${pinned.package} ${pinned.version}, the program of harness ${harness},`;
  const installed = await findInstalled(dataDir, pinned);
  if (installed === null)
    throw refusal(
      `${text} is not installed on the host of the sandbox: run \`${installCommand(harness)}\` there and start the run again`,
    );
  const folder = programFolder(dataDir, pinned);
  if ((await unchangedDigest(folder)) !== installed.tree_digest)
    throw refusal(
      `the files of ${text} are not those that were installed: run \`sandgate harness remove ${harness}\` and \`${installCommand(harness)}\` on the host of the sandbox`,
    );
  return folder;
}

function refusal(reason: string): SandgateError {
  return new SandgateError('conflict', `the run cannot start: ${reason}`);
}
