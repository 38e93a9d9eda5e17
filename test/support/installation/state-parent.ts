import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** Far more than the installations of all suites that run at the same time. */
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * Where installations of tests have their state: in memory where the machine can spare it, because four of them at a time keep a disk
 * busy with what nobody needs after a loss of power.
 */
export function stateParent(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { type, bavail, bsize } = statfsSync(MEMORY);
  const isRoomy = type === TMPFS && Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES;
  return isRoomy ? MEMORY : tmpdir();
}
