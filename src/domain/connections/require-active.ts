import { SandgateError } from '../errors.js';

/**
 * Only an active connection is used. The text reaches timelines and models, where the name of somebody's own connection is
 * nobody's business.
 *
 * @throws SandgateError `conflict`
 */
export function requireActive({ status }: { status: string }): void {
  if (status !== 'active') throw new SandgateError('conflict', `the connection is ${status} — reconnect it`);
}
