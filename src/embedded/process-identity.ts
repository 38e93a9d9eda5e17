import { isSystemError } from '../domain/system-error.js';
import { readProcessStat } from '../platform/host/process-stat.js';

/** A process is named by pid and start time together, because pids are used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, as text; empty where the system does not tell. */
  readonly startTime: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  const now = startTimeOf(pid);
  if (now !== undefined) return startTime === '' || now === startTime;
  return process.platform !== 'linux' && answersSignals(pid);
}

/** Start time of a living process; undefined when it is gone, a zombie, or the system has no /proc. */
function startTimeOf(pid: number): string | undefined {
  const stat = readProcessStat(pid);
  return stat === undefined || stat.state === 'Z' ? undefined : String(stat.startTime);
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}
