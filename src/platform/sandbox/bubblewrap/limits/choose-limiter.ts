import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { release } from 'node:os';
import { promisify } from 'node:util';
import { CgroupLimiter, removeGroups } from './cgroup-limiter.js';
import { findCgroupTree } from './cgroup-tree.js';
import type { Limiter } from './limits.js';
import { hasServiceManager, ScopeLimiter, SoftLimiter } from './other-limiters.js';

const run = promisify(execFile);
const TRIAL_TIMEOUT_MS = 5_000;
const TRIAL_SIZES = { memory_mb: 64, cpus: 1, disk_mb: 16, pids: 16 };

/** The strictest limiter that works here, tried with a real process: cgroups, then a systemd scope, then soft limits. */
export async function chooseLimiter(mode: 'root' | 'user'): Promise<Limiter> {
  const tree = findCgroupTree();
  const candidates: Limiter[] = [];
  if (tree !== null) candidates.push(new CgroupLimiter(tree));
  if (hasServiceManager(mode === 'user')) candidates.push(new ScopeLimiter(mode === 'user'));
  for (const candidate of candidates) {
    if (await works(candidate)) return candidate;
  }
  return new SoftLimiter(mode === 'root' || countsProcessesPerNamespace(release()));
}

/** Since Linux 5.14 RLIMIT_NPROC counts within the user namespace; before, every process of the user on the host counts. */
export function countsProcessesPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}

async function works(limiter: Limiter): Promise<boolean> {
  try {
    const launch = await limiter.prepare(`trial-${randomUUID()}`, TRIAL_SIZES);
    try {
      const script = 'for group; do echo 0 > "$group" || exit 97; done';
      const [program = '/bin/sh', ...args] = [...launch.wrapper, '/bin/sh', '-c', script, 'trial', ...launch.join];
      await run(program, args, { timeout: TRIAL_TIMEOUT_MS });
      return true;
    } finally {
      await removeGroups(launch.record);
    }
  } catch {
    // Not permitted or not there: the next candidate is tried, and `doctor` reports which one was taken.
    return false;
  }
}
