import { SandgateError } from '../../../domain/errors.js';
import type { SandboxHandle } from '../provider.js';

const RUNTIME = 'docker';

/** Which container it is, and which of its starts: one that somebody else starts again is not the run's. */
export interface ContainerIdentity {
  id: string;
  startedAt: number;
}

export function isSame(one: ContainerIdentity, other: ContainerIdentity): boolean {
  return one.id === other.id && one.startedAt === other.startedAt;
}

/** A handle finds the container again, in whatever process (docs/design/docker.md). */
export function toHandle(runId: string, { id, startedAt }: ContainerIdentity): SandboxHandle {
  return { runtime: RUNTIME, external_id: id, attrs: { run: runId, start_time: startedAt } };
}

/** @throws SandgateError `invalid_request` when another provider, or nobody, made the handle */
export function fromHandle({ runtime, external_id: id, attrs }: SandboxHandle): ContainerIdentity & { runId: string } {
  const { run, start_time: startedAt } = attrs;
  if (runtime !== RUNTIME || !/^[0-9a-f]{12,64}$/.test(id) || typeof run !== 'string' || typeof startedAt !== 'number')
    throw new SandgateError('invalid_request', `this is not a handle of the ${RUNTIME} provider`);
  return { runId: run, id, startedAt };
}
