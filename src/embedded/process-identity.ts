import { readFileSync } from 'node:fs';

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
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
  // The command may hold blanks and brackets; the fields after its last bracket are safe to split.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
