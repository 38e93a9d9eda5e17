import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { SandgateError } from '../../../domain/errors.js';
import { MOUNT_PROGRAM } from './mounts.js';

/** As the mounting program has them. Their names are all that the kernel ever shows of where the folders are. */
const [LOWER_FD, UPPER_FD, WORK_FD] = [3, 4, 5];
/** What is changed stands in the upper folder whole, so that it can be read without the overlay. */
const PLAIN = 'redirect_dir=off,metacopy=off,index=off';

/** Folders of a writable overlay. The upper two lie on one file system, and the last one is the kernel's own. */
export interface OverlayFolders {
  lower: string;
  upper: string;
  work: string;
}

/**
 * Shows `lower` at `place`, with all changes going to `upper`, whose files cover those of the same name. Only root can do this.
 * @throws SandgateError `sandbox_failed` with what the system says
 */
export async function mountOverlay({ lower, upper, work }: OverlayFolders, place: string): Promise<void> {
  await using below = await open(lower);
  await using above = await open(upper);
  await using aside = await open(work);
  const [l, u, w] = [LOWER_FD, UPPER_FD, WORK_FD].map((fd) => `/proc/self/fd/${fd}`);
  const options = `rw,nosuid,nodev,${PLAIN},lowerdir=${l},upperdir=${u},workdir=${w}`;
  const child = spawn('mount', ['-t', 'overlay', '-o', options, 'sandgate', place], {
    ...MOUNT_PROGRAM,
    stdio: ['ignore', 'ignore', 'pipe', below.fd, above.fd, aside.fd],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new SandgateError('sandbox_failed', `an overlay could not be mounted: ${said.trim()}`);
}
