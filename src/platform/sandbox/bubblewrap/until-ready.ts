import { SandgateError } from '../../../domain/errors.js';
import { identifyProcess, identityOfEnded, type ProcessIdentity } from '../../host/process-identity.js';
import type { LaunchFolder } from './launch-folder.js';
import { readRing } from './output-ring.js';
import { FileWatch, readStatus, readText } from './status-file.js';

/** Longer than a loaded machine needs to start Node; a launch that takes more is broken. */
const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const OUTPUT_TAIL_BYTES = 2048;

/**
 * Waits until the self-check of a sandbox that was launched has passed, and notes its first process. One that has ended by then was
 * ready all the same: how it ended is what its supervision tells.
 *
 * @param hasEnded of the shell that launched it, and with it of the sandbox
 * @throws SandgateError `sandbox_failed` naming the point of the self-check, or what bubblewrap said
 */
export async function untilReady(folder: LaunchFolder, hasEnded: () => boolean): Promise<ProcessIdentity> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  using watch = new FileWatch(folder.ready);
  let identity: ProcessIdentity | undefined;
  for (;;) {
    // Read before the output of the sandbox: a sandbox that has ended may have been ready.
    const ended = hasEnded();
    const ready = await readText(folder.ready);
    const status = await readStatus(folder.status);
    if (identity === undefined && status.childPid !== null)
      identity = identifyProcess(status.childPid) ?? (ended ? identityOfEnded(status.childPid) : undefined);
    if (ready.startsWith('passed\n') && identity !== undefined) {
      await folder.writeProcess(identity);
      return identity;
    }
    if (ready.startsWith('failed '))
      throw new SandgateError(
        'sandbox_failed',
        `the sandbox's self-check failed: ${ready.slice('failed '.length).trim()}`,
      );
    if (ended) throw await launchFailure(folder);
    if (Date.now() > deadline) throw new SandgateError('sandbox_failed', 'the sandbox was not ready within 30 s');
    await watch.next(POLL_MS);
  }
}

async function launchFailure(folder: LaunchFolder): Promise<SandgateError> {
  const { exitCode } = await readStatus(folder.status);
  const output = await readRing(folder.sandbox);
  const tail = output
    .subarray(Math.max(0, output.length - OUTPUT_TAIL_BYTES))
    .toString('utf8')
    .trim();
  const how = exitCode === null ? 'could not be set up' : `ended with exit code ${exitCode} before it was ready`;
  return new SandgateError('sandbox_failed', `the sandbox ${how}${tail === '' ? '' : `: ${tail}`}`);
}
