import { SandgateError } from '../errors.js';
import { isSystemError } from '../system-error.js';

const MAX_DELAY_SECS = 3600;

/** Seconds before the next launch of a run whose host was full `attempts` times: the base, doubled each time, at most an hour. */
export function requeueDelaySecs(attempts: number, baseSecs: number): number {
  return Math.min(MAX_DELAY_SECS, baseSecs * 2 ** Math.min(30, attempts - 1));
}

/**
 * What a failed launch means for its run (docs/design/runs.md).
 * - `out_of_capacity`: the host has no room now (no free uid, no disk image, no memory, processes or descriptors): requeue.
 * - `outage`: database or API were unreachable. This says nothing about the run: the step is repeated and no attempt counts.
 * - `fault`: the sandbox did not come up, its code host was unreachable, or something unforeseen broke; a few more launches are
 * tried.
 * - `refused`: the run itself cannot be launched, for example because its repository is not there.
 */
export type LaunchProblem = 'out_of_capacity' | 'outage' | 'fault' | 'refused';

/** Errors of the system that are temporary. */
const FULL = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'];

export function classifyLaunchProblem(cause: unknown): LaunchProblem {
  if (!(cause instanceof SandgateError)) return isSystemError(cause, ...FULL) ? 'out_of_capacity' : 'fault';
  switch (cause.code) {
    case 'out_of_capacity':
      return 'out_of_capacity';
    case 'unavailable':
      return 'outage';
    case 'upstream_failed':
      return 'fault';
    case 'sandbox_failed':
      return isSystemError(cause.cause, ...FULL) ? 'out_of_capacity' : 'fault';
    default:
      return 'refused';
  }
}
