import type { Installation } from '../../../src/embedded/installation.js';
import type { Part } from './live-stack.js';

/** The process of a part of an installation. @throws when it does not run: a signal to no process would be one to our own */
export function pidOf({ pids }: Pick<Installation, 'pids'>, part: Part): number {
  const pid = pids[part];
  if (pid === undefined) throw new Error(`the part ${part} does not run`);
  return pid;
}
