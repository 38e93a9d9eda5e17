import type { ProcessIdentity } from '../../host/process-identity.js';
import { currentBootId, identifyProcess, isAlive, startedAtMs } from '../../host/process-identity.js';
import type { LaunchFolder } from './launch-folder.js';
import { readStatus } from './status-file.js';

/** A process that started further from the noted launch is another one under a reused pid. */
const LAUNCH_WINDOW_MS = 60_000;

/** The live sandbox of a run, also one whose launcher died before it could note the process. */
export async function findLive(folder: LaunchFolder): Promise<ProcessIdentity | null> {
  const launch = await folder.readLaunch();
  if (launch === null || launch.bootId !== currentBootId()) return null;
  const noted = await folder.readProcess();
  if (noted !== null) return isAlive(noted) ? noted : null;
  const { childPid, exitCode } = await readStatus(folder.status);
  if (childPid === null || exitCode !== null) return null;
  const identity = identifyProcess(childPid);
  return identity !== undefined &&
    isAlive(identity) &&
    Math.abs(startedAtMs(identity) - launch.launchedAt) < LAUNCH_WINDOW_MS
    ? identity
    : null;
}
