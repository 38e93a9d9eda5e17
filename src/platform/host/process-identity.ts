import { readFileSync, readdirSync } from 'node:fs';
import { isSystemError } from '../../domain/system-error.js';
import { readProcessStat } from './process-stat.js';

/** Identifies one process for good: pids are reused, but not together with start time and boot. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot, field 22 of `/proc/<pid>/stat`. */
  startTime: number;
  bootId: string;
}

/** `USER_HZ`, the same on every machine that Linux runs on with Node. */
const TICKS_PER_SECOND = 100;
const NEVER = -1;

let bootId: string | undefined;

/** Changes with every boot of the machine. */
export function currentBootId(): string {
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return bootId;
}

export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = readProcessStat(pid);
  return stat === undefined ? undefined : { pid, startTime: stat.startTime, bootId: currentBootId() };
}

/** Of a process that ended before it could be identified: no process that runs is taken for it. */
export function identityOfEnded(pid: number): ProcessIdentity {
  return { pid, startTime: NEVER, bootId: currentBootId() };
}

/** When the process started, in milliseconds since the epoch, to about a second. */
export function startedAtMs(identity: ProcessIdentity): number {
  const bootSeconds = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
  return (bootSeconds + identity.startTime / TICKS_PER_SECOND) * 1000;
}

/** True while exactly this process runs; a zombie does not. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== currentBootId()) return false;
  const stat = readProcessStat(identity.pid);
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== 'Z' && stat.state !== 'X';
}

/** Sends SIGKILL if the process is still the one meant. @returns false when it was gone already */
export function killProcess(identity: ProcessIdentity): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, 'SIGKILL');
    return true;
  } catch (error) {
    if (isSystemError(error, 'ESRCH')) return false;
    throw error;
  }
}

/** `pid` and everything below it. Orphans of a pid namespace are children of its first process, so none is missed. */
export function listDescendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = readProcessStat(Number(name))?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}
