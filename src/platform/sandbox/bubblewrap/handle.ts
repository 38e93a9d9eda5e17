import { SandgateError } from '../../../domain/errors.js';
import type { SandboxHandle } from '../provider.js';
import type { ProcessIdentity } from '../../host/process-identity.js';

const RUNTIME = 'bubblewrap';

/** A handle finds the sandbox's first process again: by pid, start time and boot (docs/design/sandbox.md). */
export function toHandle(runId: string, identity: ProcessIdentity): SandboxHandle {
  return {
    runtime: RUNTIME,
    // The end of the id: the beginning of ids made in the same minute is the same.
    external_id: `${runId.slice(-12)}-${identity.pid}`,
    attrs: { run: runId, pid: identity.pid, start_time: identity.startTime, boot_id: identity.bootId },
  };
}

/** @throws SandgateError `invalid_request` when another provider, or nobody, made the handle */
export function fromHandle(handle: SandboxHandle): { runId: string; identity: ProcessIdentity } {
  const { run, pid, start_time: startTime, boot_id: bootId } = handle.attrs;
  if (
    handle.runtime !== RUNTIME ||
    typeof run !== 'string' ||
    typeof pid !== 'number' ||
    typeof startTime !== 'number' ||
    typeof bootId !== 'string'
  ) {
    throw new SandgateError('invalid_request', `this is not a handle of the ${RUNTIME} provider`);
  }
  return { runId: run, identity: { pid, startTime, bootId } };
}
