import { readFileSync } from 'node:fs';
import { isSystemError } from '../../domain/system-error.js';

/** What Linux tells of a process in `/proc/<pid>/stat`. */
export interface ProcessStat {
  command: string;
  /** One letter; `Z` is a zombie. */
  state: string;
  parent: number;
  /** Clock ticks since boot. Pids are used again; a pid together with this is not, until the next boot. */
  startTime: number;
  /** Processor time in clock ticks, that of children that ended and were waited for included. */
  cpuTicks: number;
  threads: number;
}

/** @returns undefined when there is no such process, or the system has no `/proc` */
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command in parentheses may hold anything, so fields are counted from its end.
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    return {
      command: text.slice(text.indexOf('(') + 1, end),
      state: fields[0] ?? '',
      parent: Number(fields[1]),
      startTime: Number(fields[19]),
      cpuTicks: [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0),
      threads: Number(fields[17]),
    };
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}
