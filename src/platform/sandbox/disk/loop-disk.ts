import { chmod, chown, mkdir, open, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandgateError } from '../../../domain/errors.js';
import { codeOf } from '../../../domain/system-error.js';
import { pathExists } from '../../host/path-exists.js';
import { isMountPoint, runMountProgram } from './mounts.js';

const MIB = 1024 * 1024;
const UNMOUNT_ATTEMPTS = 50;
const UNMOUNT_WAIT_MS = 20;
/** No journal: the disk lives as long as its run, and a check on the next mount repairs what a power cut left. */
const FORMAT = [
  '-q',
  '-F',
  '-m',
  '0',
  '-b',
  '4096',
  '-i',
  '8192',
  '-O',
  '^has_journal',
  '-E',
  'lazy_itable_init=1,nodiscard',
];

/**
 * A sized ext4 image mounted over a loop device (docs/design/sandbox.md): a hard quota that vanishes atomically. Idempotent: an image
 * that is there is mounted again, one that is mounted stays.
 *
 * @param makeImage makes the image where there is none; formats one by default
 * @throws SandgateError `out_of_capacity` when this host cannot make or mount one more: no space, no free loop device
 */
export async function mountDisk(
  image: string,
  mountPoint: string,
  sizeMb: number,
  makeImage: (image: string, sizeMb: number) => Promise<void> = formatImage,
): Promise<void> {
  if (await isMountPoint(mountPoint)) return;
  if (!(await pathExists(image))) await orFull('made', () => makeImage(image, sizeMb));
  else await checkImage(image);
  await mkdir(mountPoint, { recursive: true, mode: 0o700 });
  const mount = ['-t', 'ext4', '-o', 'loop,nosuid,nodev,noatime', image, mountPoint];
  await orFull('mounted', () => runMountProgram('mount', mount));
}

/** The host could make disks when this process started, so a failure now means a lack of room. */
async function orFull(what: 'made' | 'mounted', step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (cause) {
    throw new SandgateError('out_of_capacity', `the host has no room: a disk image could not be ${what}`, { cause });
  }
}

/** Makes the run's folder on its disk; the root of the file system itself stays ours, with `lost+found` in it. */
export async function createOwnedFolder(path: string, uid: number | null): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (uid === null) return;
  await chown(path, uid, uid);
  await chmod(path, 0o711);
}

/** Unmounts what is mounted there; the kernel frees the loop device with the last mount. Absent is success. */
export async function unmountDisk(mountPoint: string): Promise<void> {
  for (let attempt = 1; await isMountPoint(mountPoint); attempt++) {
    try {
      await runMountProgram('umount', [mountPoint]);
    } catch (error) {
      // A process that has just been killed may still hold it for a moment.
      if (attempt === UNMOUNT_ATTEMPTS) throw error;
      await sleep(UNMOUNT_WAIT_MS);
    }
  }
}

/** Formats a blank image of that size at `image`. */
export async function formatImage(image: string, sizeMb: number): Promise<void> {
  const fresh = `${image}.new`;
  const file = await open(fresh, 'w', 0o600);
  await file.truncate(sizeMb * MIB);
  await file.close();
  await runMountProgram('mkfs.ext4', [...FORMAT, fresh]);
  await rename(fresh, image);
}

async function checkImage(image: string): Promise<void> {
  try {
    await runMountProgram('e2fsck', ['-p', image]);
  } catch (error) {
    // Exit code 1: errors were found and corrected.
    if (codeOf(error) !== 1) throw error;
  }
}

/** Deletes an image and its unfinished forerunner. */
export async function deleteImage(image: string): Promise<void> {
  await Promise.all([rm(image, { force: true }), rm(`${image}.new`, { force: true })]);
}
