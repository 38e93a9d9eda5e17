import type { ChildProcess } from 'node:child_process';
import { isSystemError } from '../../domain/system-error.js';

/** Kills a process that was started as the leader of a group of its own, with everything in it. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group may be gone already, which is what was wanted.
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}
