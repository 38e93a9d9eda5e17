import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import type { HarnessProgram, ProgramHarness } from '../../../domain/harness/harness-program.js';
import { isJsonObject } from '../../../domain/json.js';
import { isMissing } from '../../../domain/system-error.js';
import { placeFolder, removePlaced } from '../npm/placed-folder.js';
import { npmClean } from '../npm/run-npm.js';
import { RECORD, treeBytes, treeDigest } from '../npm/tree-digest.js';
import { CLOSED_PROGRAMS } from './closed-programs.js';
import { findInstalled, listInstalledPrograms, programFolder, type InstalledProgram } from './installed-program.js';
import { lockedPackages, type LockedPackage, type PinnedProgram } from './pinned-program.js';

/**
 * Fetches a harness's program into `<data>/harnesses/<id>/<version>`, exactly as its lock file pins it, and records what it is; one
 * that is there is answered as it is. It appears whole or not at all.
 * @throws SandgateError `unavailable` when npm fails or brought less than the lock file names
 */
export async function installProgram(dataDir: string, pinned: PinnedProgram): Promise<InstalledProgram> {
  const present = await findInstalled(dataDir, pinned);
  if (present !== null) return present;
  const target = programFolder(dataDir, pinned);
  const fill = async (folder: string): Promise<InstalledProgram> => {
    const installed = await stage(folder, pinned);
    // The same version by another lock file: the new tree takes its place.
    if ((await findInstalled(dataDir, pinned)) === null) await removePlaced(dataDir, target);
    return installed;
  };
  return placeFolder(dataDir, target, fill, CLOSED_PROGRAMS[pinned.harness]);
}

/** Removes every installed version of a program; returns which. A run that is using one breaks. */
export async function removeProgram(dataDir: string, harness: ProgramHarness): Promise<HarnessProgram[]> {
  const installed = (await listInstalledPrograms(dataDir)).filter((program) => program.harness === harness);
  for (const program of installed) await removePlaced(dataDir, programFolder(dataDir, program));
  return installed;
}

async function stage(folder: string, pinned: PinnedProgram): Promise<InstalledProgram> {
  await writeFile(join(folder, 'package.json'), pinned.manifest);
  await writeFile(join(folder, 'package-lock.json'), pinned.lock);
  await npmClean(folder);
  const packages = await requireWhole(folder, pinned);
  const installed: InstalledProgram = {
    harness: pinned.harness,
    package: pinned.package,
    version: pinned.version,
    lock_digest: pinned.lockDigest,
    tree_digest: await treeDigest(folder),
    packages,
    bytes: await treeBytes(folder),
    installed_at: new Date().toISOString(),
  };
  await writeFile(join(folder, RECORD), `${JSON.stringify(installed, null, 2)}\n`);
  return installed;
}

/** npm goes on when the download of an optional package fails, and the program itself is an optional package. */
async function requireWhole(folder: string, pinned: PinnedProgram): Promise<number> {
  const locked = [...lockedPackages(pinned)];
  const wanted = locked.filter(([, entry]) => suitsThisHost(entry));
  if (locked.some(([, entry]) => isForSome(entry)) && !wanted.some(([, entry]) => isForSome(entry)))
    throw new SandgateError(
      'unavailable',
      `${pinned.package} ${pinned.version} has no program for ${process.platform} on ${process.arch}`,
    );
  for (const [place, entry] of wanted) {
    if ((await versionIn(join(folder, place))) !== entry.version)
      throw new SandgateError(
        'unavailable',
        `npm could not fetch ${place.replace('node_modules/', '')} ${entry.version}, or it is not what the lock file pins; nothing was installed, try again`,
      );
  }
  return wanted.length;
}

function isForSome({ os, cpu }: LockedPackage): boolean {
  return os !== null || cpu !== null;
}

function suitsThisHost({ os, cpu, libc }: LockedPackage): boolean {
  const suits = (listed: string[] | null, value: string): boolean => listed === null || listed.includes(value);
  return suits(os, process.platform) && suits(cpu, process.arch) && suits(libc, libcOfThisHost());
}

function libcOfThisHost(): string {
  const report: unknown = process.report.getReport();
  const header = isJsonObject(report) ? report['header'] : undefined;
  return isJsonObject(header) && header['glibcVersionRuntime'] !== undefined ? 'glibc' : 'musl';
}

async function versionIn(folder: string): Promise<unknown> {
  try {
    const description: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return isJsonObject(description) ? description['version'] : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
