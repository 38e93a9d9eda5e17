import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOfText } from '../../../domain/digest/digest.js';
import type { HarnessProgram, ProgramHarness } from '../../../domain/harness/harness-program.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json.js';
import { installationFolder } from '../../host/installation-folder.js';

/** A harness's program with everything that decides what is installed: `harnesses/<id>` of the installation. */
export interface PinnedProgram extends HarnessProgram {
  /** The text of `package.json`. */
  manifest: string;
  /** The text of `package-lock.json`, which names every package with its sha512 integrity. */
  lock: string;
  /** `sha256:` over the lock file. */
  lockDigest: string;
}

/** @throws Error when the files of the installation are damaged */
export async function readPinned(harness: ProgramHarness, folder = pinsFolder()): Promise<PinnedProgram> {
  const [manifest, lock] = await Promise.all(
    ['package.json', 'package-lock.json'].map((name) => readFile(join(folder, harness, name), 'utf8')),
  );
  if (manifest === undefined || lock === undefined) throw new Error(`${join(folder, harness)} is damaged`);
  const [program, ...others] = Object.entries(memberOf(JSON.parse(manifest), 'dependencies'));
  const version = program?.[1];
  if (program === undefined || others.length > 0 || typeof version !== 'string')
    throw new Error(`${join(folder, harness, 'package.json')} must name one package at one version`);
  return { harness, package: program[0], version, manifest, lock, lockDigest: digestOfText(lock) };
}

/** What a lock file says of a package; null where it is for every platform. */
export interface LockedPackage {
  version: string;
  os: string[] | null;
  cpu: string[] | null;
  libc: string[] | null;
}

/** Every package of a lock file with what it says, by its place. @throws Error for one without a sha512 integrity */
export function lockedPackages({ harness, lock }: PinnedProgram): Map<string, LockedPackage> {
  const packages = Object.entries(memberOf(JSON.parse(lock), 'packages')).filter(([place]) => place !== '');
  return new Map(packages.map(([place, entry]) => [place, readLocked(harness, place, entry)]));
}

function readLocked(harness: string, place: string, entry: JsonValue): LockedPackage {
  const { version, integrity, os, cpu, libc } = isJsonObject(entry) ? entry : {};
  if (typeof version !== 'string' || typeof integrity !== 'string' || !integrity.startsWith('sha512-'))
    throw new Error(`the lock file of ${harness} does not pin ${place}`);
  return { version, os: namesIn(os), cpu: namesIn(cpu), libc: namesIn(libc) };
}

function namesIn(list: JsonValue | undefined): string[] | null {
  return Array.isArray(list) ? list.map(String) : null;
}

function pinsFolder(): string {
  return installationFolder('harnesses', 'codex/package-lock.json');
}

function memberOf(document: unknown, name: string): JsonObject {
  const member = isJsonObject(document) ? document[name] : undefined;
  return isJsonObject(member) ? member : {};
}
