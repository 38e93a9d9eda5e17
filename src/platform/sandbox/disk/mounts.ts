import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** How programs of the system are run that make, mount and check file systems. */
export const MOUNT_PROGRAM = {
  timeout: 60_000,
  env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
} as const;

const run = promisify(execFile);

/** Runs one of them to its end. @throws what it says when it fails */
export async function runMountProgram(program: string, argv: readonly string[]): Promise<void> {
  await run(program, argv, MOUNT_PROGRAM);
}

/** The places of this host where something is mounted. */
export async function mountPoints(): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return lines.map((line) => unescape(line.split(' ')[4] ?? ''));
}

export async function isMountPoint(path: string): Promise<boolean> {
  return (await mountPoints()).includes(path);
}

/** Takes a mount away from the host at once; what a sandbox has of it stays. */
export function unmountDetached(mountPoint: string): Promise<void> {
  return runMountProgram('umount', ['-l', mountPoint]);
}

/** Places are written with octal escapes there. */
function unescape(mount: string): string {
  return mount.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
}
