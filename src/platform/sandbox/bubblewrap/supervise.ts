import { setTimeout as sleep } from 'node:timers/promises';
import { SandgateError } from '../../../domain/errors.js';
import type { SandboxExit, SandboxState } from '../provider.js';
import { listMembers, ranOutOfMemory } from './limits/cgroup-limiter.js';
import { breachOf, sampleProcesses } from './limits/sampler.js';
import { isRingClosed, readRing } from './output-ring.js';
import type { ProcessIdentity } from '../../host/process-identity.js';
import { currentBootId, identifyProcess, isAlive, killProcess } from '../../host/process-identity.js';
import { describeExit } from '../room/describe-exit.js';
import { measureFolder } from '../room/measure-folder.js';
import type { LaunchFolder, LaunchRecord } from './launch-folder.js';
import { FileWatch, readStatus } from './status-file.js';

/** bubblewrap writes the exit code a moment after the sandbox's first process is gone. */
const EXIT_CODE_WAIT_MS = 500;
const DEATH_TIMEOUT_MS = 10_000;
const DEATH_POLL_MS = 5;
const SUPERVISION_POLL_MS = 1_000;
/** Between two samples of a sandbox whose limits are soft. */
const SOFT_POLL_MS = 250;
const DISK_SAMPLE_EVERY = 8;
const MIB = 1024 * 1024;

/** The state of a sandbox from its files and `/proc`, whoever launched it. */
export async function readState(folder: LaunchFolder, identity: ProcessIdentity): Promise<SandboxState> {
  if (isAlive(identity)) return { phase: 'running' };
  const launch = await folder.readLaunch();
  if (launch === null) return { phase: 'terminated', exitCode: null, reason: 'the sandbox and its folder are gone' };
  return { phase: 'terminated', ...(await readExit(folder, launch)) };
}

async function readExit(folder: LaunchFolder, launch: LaunchRecord): Promise<SandboxExit> {
  const end = await folder.readEnd();
  if (end !== null) return { exitCode: null, reason: end.reason };
  const status = await readFinalStatus(folder);
  if (ranOutOfMemory(launch.limits)) {
    return {
      exitCode: status.exitCode,
      reason: `the sandbox reached its limit of ${launch.sizes.memory_mb} MiB of memory`,
    };
  }
  if (status.exitCode === null) return { exitCode: null, reason: 'the sandbox was killed from outside' };
  return { exitCode: status.exitCode, reason: describeExit(status.exitCode, await readRing(folder.sandbox)) };
}

async function readFinalStatus(folder: LaunchFolder): Promise<{ exitCode: number | null }> {
  const deadline = Date.now() + EXIT_CODE_WAIT_MS;
  for (;;) {
    const status = await readStatus(folder.status);
    if (status.exitCode !== null || Date.now() > deadline) return status;
    // When the ring is closed, no process is left to write the code.
    if (await isRingClosed(folder.sandbox)) return readStatus(folder.status);
    await sleep(DEATH_POLL_MS);
  }
}

/**
 * Waits for the end of a sandbox, launched by this process or an earlier one. Where limits are soft it samples meanwhile and
 * ends the sandbox that oversteps them.
 */
export async function superviseUntilExit(
  folder: LaunchFolder,
  identity: ProcessIdentity,
  signal: AbortSignal,
): Promise<SandboxExit> {
  const launch = await folder.readLaunch();
  const softDisk = launch !== null && launch.disk === 'folder';
  using watch = isAlive(identity) ? new FileWatch(folder.status) : undefined;
  for (let round = 0; isAlive(identity); round++) {
    signal.throwIfAborted();
    const breach =
      launch === null ? null : await findBreach(folder, identity, launch, softDisk && round % DISK_SAMPLE_EVERY === 0);
    if (breach !== null) {
      await folder.writeEnd({ reason: breach });
      await killSandbox(folder, identity);
    } else if ((await readStatus(folder.status)).exitCode !== null) {
      // The runner has ended, and so has the run; its background processes are killed.
      await killSandbox(folder, identity);
    } else {
      await watch?.next(launch?.limits.kind === 'soft' ? SOFT_POLL_MS : SUPERVISION_POLL_MS, signal);
    }
  }
  const state = await readState(folder, identity);
  return state.phase === 'terminated'
    ? { exitCode: state.exitCode, reason: state.reason }
    : { exitCode: null, reason: 'the sandbox is gone' };
}

async function findBreach(
  folder: LaunchFolder,
  identity: ProcessIdentity,
  launch: LaunchRecord,
  measureDisk: boolean,
): Promise<string | null> {
  if (launch.limits.kind === 'soft') {
    const breach = breachOf(sampleProcesses(identity.pid), launch.sizes);
    if (breach !== null) return breach;
  }
  const diskBytes = launch.sizes.disk_mb * MIB;
  if (measureDisk && (await measureFolder(folder.workspace, diskBytes)) > diskBytes) {
    return `the sandbox wrote more than its ${launch.sizes.disk_mb} MiB of disk`;
  }
  return null;
}

/**
 * Kills the first process of the pid namespace, with which the kernel kills all others, and waits until they are gone.
 * @throws SandgateError `sandbox_failed` when their death cannot be confirmed within 10 s
 */
export async function killSandbox(folder: LaunchFolder, identity: ProcessIdentity): Promise<void> {
  killProcess(identity);
  const deadline = Date.now() + DEATH_TIMEOUT_MS;
  const launch = await folder.readLaunch();
  while (isAlive(identity) || killStragglers(launch)) {
    if (Date.now() > deadline)
      throw new SandgateError('sandbox_failed', `the processes of sandbox ${folder.runId} do not end`);
    await sleep(DEATH_POLL_MS);
  }
}

/**
 * Whatever else is in the run's cgroup: bubblewrap's outer half, or a launch that was cut short. @returns true while any is alive
 */
function killStragglers(launch: LaunchRecord | null): boolean {
  if (launch === null || launch.bootId !== currentBootId()) return false;
  let found = false;
  for (const pid of listMembers(launch.limits)) {
    const member = identifyProcess(pid);
    if (member !== undefined && killProcess(member)) found = true;
  }
  return found;
}
