import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isMissing, isSystemError } from '../../../../domain/system-error.js';
import type { ConfinedLimits, ReachedLimit } from '../../../host/confine.js';
import { listDescendants } from '../../../host/process-identity.js';
import { readProcessStat } from '../../../host/process-stat.js';
import type { GroupCounts } from './cgroup-limiter.js';
import { listMembers, readCounts } from './cgroup-limiter.js';
import type { LimitRecord } from './limits.js';
import { OWN_PROCESSES } from './limits.js';
import { residentBytes } from './sampler.js';

/** Where the kernel counts the group it holds it as well, and a look is for the name alone. */
const INTERVAL_MS = { counted: 100, soft: 50 };
const MIB = 1024 * 1024;
const PAGE_BYTES = 4096;
/** `USER_HZ`, the same on every machine that Linux runs on with Node. */
const TICKS_PER_SECOND = 100;
/** Of all time that passes, what waiting for a processor may be. */
const MAX_STARVED = 0.9;
/** Files cost memory that no size counts, even when nothing is in them. */
const MAX_FILES = 100_000;

export interface WatchedProgram {
  /** bubblewrap outside; everything else is below it. */
  pid: number;
  limits: ConfinedLimits;
  record: LimitRecord;
  /** Memory file systems that the program may write, with the sizes that they were made with. */
  scratch: { path: string; bytes: number }[];
}

/** What a program and all below it use at one moment. */
interface GroupUsage {
  cpuSeconds: number;
  memoryBytes: number;
  threads: number;
  /** Of the process that has most. */
  openFiles: number;
  writtenBytes: number;
  /** A file system is full, or holds more files than any parser makes. */
  isFull: boolean;
}

/**
 * Looks at a confined program and all that it started until `signal` is aborted, and tells the first limit that it finds reached. The
 * kernel holds the same limits, or ones a little wider where it has no group to count in; the watch gives them their names and counts
 * what the kernel does not: files, and without cgroups the group as a whole.
 * @param giveBack told how long the program had to wait for a processor
 */
export async function watchConfined(
  program: WatchedProgram,
  giveBack: (ms: number) => void,
  signal: AbortSignal,
): Promise<ReachedLimit | null> {
  let cpuSeconds = 0;
  const starvation = new Starvation();
  while (!signal.aborted) {
    const counts = readCounts(program.record);
    const pids = counts === null ? listTree(program.pid) : listMembers(program.record);
    giveBack(starvation.since(pids));
    const usage = measure(pids, program.scratch, counts);
    // The time of what ended and was waited for by nobody is no longer told.
    cpuSeconds = Math.max(cpuSeconds, usage.cpuSeconds);
    const reached = reachedOf(program.limits, { ...usage, cpuSeconds }, counts);
    if (reached !== null) return reached;
    await sleep(counts === null ? INTERVAL_MS.soft : INTERVAL_MS.counted, undefined, { signal }).catch(ignoreAbort);
  }
  return null;
}

/**
 * For how long programs were ready to run and the host had no processor for them. Their clocks leave it out, or a busy host would take good
 * documents for bad ones; a part of all time counts in any case.
 */
class Starvation {
  private readonly waited = new Map<number, number>();
  private at = performance.now();

  /** Milliseconds since the last question. */
  since(pids: readonly number[]): number {
    const passed = performance.now() - this.at;
    this.at += passed;
    let ms = 0;
    for (const pid of pids) {
      const [, nanos = '0'] = (unlessGone(() => readFileSync(`/proc/${pid}/schedstat`, 'latin1')) ?? '').split(' ');
      const waited = Number(nanos) / 1e6;
      ms += waited - (this.waited.get(pid) ?? 0);
      this.waited.set(pid, waited);
    }
    return Math.min(ms, passed * MAX_STARVED);
  }
}

/** What the kernel counted, after the end: a program may reach a limit and die of it between two looks. */
export function findCounted({ record, limits }: Omit<WatchedProgram, 'pid'>): ReachedLimit | null {
  return reachedByCount(limits, readCounts(record));
}

/** The first limit that is reached. The kernel's own counts, where there are any, stand for memory and processes. */
function reachedOf(limits: ConfinedLimits, usage: GroupUsage, counts: GroupCounts | null): ReachedLimit | null {
  const counted = reachedByCount(limits, counts);
  if (counted !== null) return counted;
  if (usage.openFiles >= limits.openFiles) return 'open_files';
  if (usage.isFull) return 'written_bytes';
  if ((counts?.cpuSeconds ?? usage.cpuSeconds) >= limits.cpuSeconds) return 'cpu_time';
  if (counts !== null) return null;
  if (usage.memoryBytes + usage.writtenBytes > limits.memoryMb * MIB) return 'memory';
  return usage.threads > limits.processes + OWN_PROCESSES ? 'processes' : null;
}

function reachedByCount(limits: ConfinedLimits, counts: GroupCounts | null): ReachedLimit | null {
  if (counts?.outOfMemory === true) return 'memory';
  if (counts?.refusedProcess === true) return 'processes';
  return (counts?.cpuSeconds ?? 0) >= limits.cpuSeconds ? 'cpu_time' : null;
}

/** What the kernel counted is not looked for again, process by process. */
function measure(pids: number[], scratch: WatchedProgram['scratch'], counts: GroupCounts | null): GroupUsage {
  const stats = (counts?.cpuSeconds ?? null) === null ? pids.map(readProcessStat) : [];
  const written = scratch.map((folder) => measureScratch(pids, folder));
  const sum = (values: (number | undefined)[]): number => values.reduce<number>((total, one) => total + (one ?? 0), 0);
  return {
    cpuSeconds: sum(stats.map((stat) => stat?.cpuTicks)) / TICKS_PER_SECOND,
    memoryBytes: counts === null ? sum(pids.map(residentBytes)) : 0,
    threads: sum(stats.map((stat) => stat?.threads)),
    openFiles: Math.max(0, ...pids.map(countOpenFiles)),
    writtenBytes: sum(written.map(({ bytes }) => bytes)),
    isFull: written.some(({ isFull }) => isFull),
  };
}

/**
 * Seen through the root of a process inside, which nobody inside can change: the root is read-only, and the folder a mount. A process that
 * has not entered its root yet sees another file system there, of another size.
 */
function measureScratch(
  pids: number[],
  { path, bytes }: { path: string; bytes: number },
): { bytes: number; isFull: boolean } {
  for (const pid of pids.toReversed()) {
    const facts = unlessGone(() => statfsSync(`/proc/${pid}/root${path}`));
    if (facts === undefined || facts.bsize * facts.blocks !== pagesOf(bytes)) continue;
    const isFull = facts.bfree === 0 || facts.files - facts.ffree > MAX_FILES;
    return { bytes: facts.bsize * (facts.blocks - facts.bfree), isFull };
  }
  return { bytes: 0, isFull: false };
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function countOpenFiles(pid: number): number {
  return unlessGone(() => readdirSync(`/proc/${pid}/fd`).length) ?? 0;
}

/** `pid` and all below it, from the kernel's own lists where it keeps them: they are a few small files, `/proc` is all of a host. */
function listTree(pid: number): number[] {
  const found = [pid];
  try {
    for (const one of found) {
      for (const thread of unlessGone(() => readdirSync(`/proc/${one}/task`)) ?? []) {
        const children = readFileSync(`/proc/${one}/task/${thread}/children`, 'latin1');
        found.push(...children.split(' ').filter(Boolean).map(Number));
      }
    }
    return found;
  } catch (error) {
    if (!isMissing(error) && codeOf(error) !== 'ESRCH') throw error;
    return listDescendants(pid);
  }
}

/** @returns undefined for a process that ended meanwhile or may not be looked into */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EINVAL')) return undefined;
    throw error;
  }
}

function ignoreAbort(error: unknown): void {
  if (codeOf(error) !== 'ABORT_ERR') throw error;
}
