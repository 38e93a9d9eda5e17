import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { pathExists } from '../../host/path-exists.js';
import { MOBY_DEFAULT_PROFILE } from '../seccomp/moby-default-profile.js';
import { ociProfile } from '../seccomp/oci-profile.js';
import { currentMachine } from '../seccomp/syscall-numbers.js';
import type { EngineFlavour } from './engine.js';

let profile: string | undefined;

/**
 * What stands after `seccomp=`: Docker takes the filter itself, Podman the path of a file that holds it, and each takes nothing else.
 * @throws SandgateError `unavailable` on a machine for which no filter can be built
 */
export async function seccompOption(flavour: EngineFlavour, dataDir: string): Promise<string> {
  profile ??= buildProfile();
  if (flavour === 'docker') return profile;
  const folder = join(dataDir, 'seccomp');
  const path = join(folder, `${createHash('sha256').update(profile).digest('hex').slice(0, 16)}.json`);
  if (await pathExists(path)) return path;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, profile, { mode: 0o600 });
  await rename(draft, path);
  return path;
}

function buildProfile(): string {
  const machine = currentMachine();
  if (machine === undefined)
    throw new SandgateError('unavailable', `sandboxes run on x86-64 and arm64; this machine is ${process.arch}`);
  return JSON.stringify(ociProfile(MOBY_DEFAULT_PROFILE, machine));
}
