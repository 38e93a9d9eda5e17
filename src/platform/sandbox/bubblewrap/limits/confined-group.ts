import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandgateError } from '../../../../domain/errors.js';
import { isMissing } from '../../../../domain/system-error.js';
import type { ConfinedLimits } from '../../../host/confine.js';
import { identifyProcess, killProcess } from '../../../host/process-identity.js';
import { readProcessStat } from '../../../host/process-stat.js';
import { CgroupLimiter, listMembers, removeGroups } from './cgroup-limiter.js';
import type { LimitedLaunch, Limiter, LimitRecord } from './limits.js';

const ATTEMPTS = 3;
const DEATH_TIMEOUT_MS = 10_000;
const DEATH_POLL_MS = 5;
/** Where the watch counts, the kernel's limit stands a little higher, so that the watch sees it passed. */
const MARGIN = { memoryMb: 64, processes: 16 };

/** Limits for one confined program. Hard ones are its group's, which {@link dissolveGroup} removes. */
export async function prepareGroup(limiter: Limiter, limits: ConfinedLimits): Promise<LimitedLaunch> {
  const counts = limiter instanceof CgroupLimiter;
  const sizes = {
    memory_mb: limits.memoryMb + (counts ? 0 : MARGIN.memoryMb),
    pids: limits.processes + (counts ? 0 : MARGIN.processes),
    cpus: availableParallelism(),
    disk_mb: 0,
  };
  const name = `confined-${process.pid}-${readProcessStat(process.pid)?.startTime}-${randomUUID()}`;
  for (let attempt = 1; ; attempt++) {
    try {
      return await limiter.prepare(name, sizes);
    } catch (error) {
      // Whoever removes the last group of a host removes the folder of all groups with it.
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Kills what is left in the group, waits until it is gone and removes the group. */
export async function dissolveGroup(record: LimitRecord): Promise<void> {
  const deadline = Date.now() + DEATH_TIMEOUT_MS;
  for (;;) {
    const members = listMembers(record).map(identifyProcess);
    if (members.length === 0) break;
    for (const member of members) if (member !== undefined) killProcess(member);
    if (Date.now() > deadline)
      throw new SandgateError('sandbox_failed', 'the processes of a confined program do not end');
    await sleep(DEATH_POLL_MS);
  }
  await removeGroups(record);
}

/** Groups of processes that died before they could dissolve them; nothing runs in those any more. */
export async function removeAbandonedGroups(limiter: Limiter): Promise<void> {
  if (!(limiter instanceof CgroupLimiter)) return;
  await limiter.removeAbandoned((name) => {
    const [, pid, startTime] = /^confined-(\d+)-(\d+)-/.exec(name) ?? [];
    return pid !== undefined && readProcessStat(Number(pid))?.startTime !== Number(startTime);
  });
}
