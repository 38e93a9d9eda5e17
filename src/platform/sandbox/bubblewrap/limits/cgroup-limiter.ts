import { existsSync, readFileSync } from 'node:fs';
import { access, constants, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxSizes } from '../../../../domain/run/spec.js';
import { codeOf, isMissing } from '../../../../domain/system-error.js';
import type { CgroupTree } from './cgroup-tree.js';
import type { LimitedLaunch, LimitRecord, Limiter } from './limits.js';
import { OWN_PROCESSES } from './limits.js';

/** Folder that holds the groups of all runs, below the group of this process. */
const PARENT = 'sandgate';
const PERIOD_US = 100_000;
/**
 * Version 1 weighs the folder of all groups against each single process beside it, so that on a busy host all of them together would get what
 * one process gets. They get as much as so many for each core.
 */
const PROCESSES_PER_CORE = 2;
const SHARES_OF_A_PROCESS = 1024;
const REMOVE_ATTEMPTS = 50;
const REMOVE_WAIT_MS = 20;

/** Limits by cgroup: one group a run, in each hierarchy that has a controller. */
export class CgroupLimiter implements Limiter {
  readonly kind;

  constructor(private readonly tree: CgroupTree) {
    this.kind = tree.version === 2 ? ('cgroup-v2' as const) : ('cgroup-v1' as const);
  }

  async prepare(runId: string, sizes: SandboxSizes): Promise<LimitedLaunch> {
    const groups = await Promise.all(this.tree.hierarchies.map((hierarchy) => this.makeGroup(hierarchy, runId, sizes)));
    const record: LimitRecord = { kind: this.kind, groups };
    return {
      record,
      join: groups.map((group) => join(group, 'cgroup.procs')),
      wrapper: [],
      dataBytes: null,
      processes: null,
    };
  }

  /** Removes groups without processes that a process of ours left when it died. */
  async removeAbandoned(isAbandoned: (runId: string) => boolean): Promise<void> {
    for (const { folder } of this.tree.hierarchies) {
      const parent = join(folder, PARENT);
      const names = await readdir(parent).catch(ignoreMissing);
      for (const name of names?.filter(isAbandoned) ?? []) await removeIfEmpty(join(parent, name));
    }
  }

  private async makeGroup(
    { folder, controllers }: CgroupTree['hierarchies'][number],
    runId: string,
    sizes: SandboxSizes,
  ): Promise<string> {
    const parent = join(folder, PARENT);
    await mkdir(parent, { recursive: true });
    if (this.tree.version === 2) await writeFile(join(parent, 'cgroup.subtree_control'), '+memory +pids +cpu');
    const group = join(parent, runId);
    await mkdir(group, { recursive: true });
    for (const [file, value, optional] of settings(this.tree.version, controllers, sizes)) {
      if (optional && !(await exists(join(group, file)))) continue;
      await writeFile(join(group, file), value);
    }
    if (this.tree.version === 1 && controllers.includes('cpu')) {
      const shares = SHARES_OF_A_PROCESS * PROCESSES_PER_CORE * availableParallelism();
      await writeFile(join(parent, 'cpu.shares'), String(shares));
    }
    return group;
  }
}

type Setting = [file: string, value: string, optional: boolean];

function settings(version: 1 | 2, controllers: string[], sizes: SandboxSizes): Setting[] {
  const bytes = String(sizes.memory_mb * 1024 * 1024);
  const quota = String(Math.round(sizes.cpus * PERIOD_US));
  const processes = String(sizes.pids + OWN_PROCESSES);
  if (version === 2) {
    return [
      ['memory.max', bytes, false],
      ['memory.swap.max', '0', true],
      ['pids.max', processes, false],
      ['cpu.max', `${quota} ${PERIOD_US}`, true],
    ];
  }
  const all: Record<string, Setting[]> = {
    memory: [
      ['memory.limit_in_bytes', bytes, false],
      ['memory.memsw.limit_in_bytes', bytes, true],
    ],
    pids: [['pids.max', processes, false]],
    cpu: [
      ['cpu.cfs_period_us', String(PERIOD_US), true],
      ['cpu.cfs_quota_us', quota, true],
    ],
  };
  return controllers.flatMap((controller) => all[controller] ?? []);
}

/** True when the kernel killed a process of the run for want of memory. */
export function ranOutOfMemory(record: LimitRecord): boolean {
  if (record.kind !== 'cgroup-v1' && record.kind !== 'cgroup-v2') return false;
  const texts = readAll(record.groups, record.kind === 'cgroup-v2' ? 'memory.events' : 'memory.oom_control');
  return texts.some((text) => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0);
}

/** What the kernel counted for a run; null where the limits are no cgroups. */
export interface GroupCounts {
  /** Null where processor time is not counted. */
  cpuSeconds: number | null;
  /** A process more was refused. */
  refusedProcess: boolean;
  outOfMemory: boolean;
}

export function readCounts(record: LimitRecord): GroupCounts | null {
  if (record.kind !== 'cgroup-v1' && record.kind !== 'cgroup-v2') return null;
  const events = readAll(record.groups, 'pids.events').join('');
  const cpu = readAll(record.groups, record.kind === 'cgroup-v2' ? 'cpu.stat' : 'cpuacct.usage').join('');
  const [, micros] = /^usage_usec (\d+)$/m.exec(cpu) ?? [];
  const [, nanos] = /^(\d+)$/m.exec(cpu) ?? [];
  const cpuSeconds = micros !== undefined ? Number(micros) / 1e6 : nanos !== undefined ? Number(nanos) / 1e9 : null;
  const refusedProcess = Number(/^max (\d+)$/m.exec(events)?.[1] ?? 0) > 0;
  return { cpuSeconds, outOfMemory: ranOutOfMemory(record), refusedProcess };
}

/** Host pids in the run's groups. */
export function listMembers(record: LimitRecord): number[] {
  if (record.kind !== 'cgroup-v1' && record.kind !== 'cgroup-v2') return [];
  const texts = readAll(record.groups, 'cgroup.procs');
  return [...new Set(texts.flatMap((text) => text.split('\n').filter(Boolean).map(Number)))];
}

/** Removes the run's groups, and the parent folders when they were the last. The kernel frees a group a moment after its last process. */
export async function removeGroups(record: LimitRecord): Promise<void> {
  if (record.kind !== 'cgroup-v1' && record.kind !== 'cgroup-v2') return;
  for (const group of record.groups) {
    await removeGroup(group);
    await removeIfEmpty(dirname(group));
  }
}

async function removeGroup(group: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rmdir(group);
      return;
    } catch (error) {
      if (isMissing(error)) return;
      if (attempt === REMOVE_ATTEMPTS) throw error;
      await sleep(REMOVE_WAIT_MS);
    }
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Other runs live there, or another process removed it first.
    if (!isMissing(error) && codeOf(error) !== 'EBUSY' && codeOf(error) !== 'ENOTEMPTY') throw error;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/**
 * What the kernel says in the groups that have such a file. It answers from memory, at once, and nobody need wait for it; version 1 has most
 * files in one of its hierarchies alone.
 */
function readAll(groups: readonly string[], file: string): string[] {
  const paths = groups.map((group) => join(group, file));
  return paths.filter((path) => existsSync(path)).map(readUnlessGone);
}

function readUnlessGone(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENODEV') return '';
    throw error;
  }
}
