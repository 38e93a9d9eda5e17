import { SandgateError } from '../errors.js';

/**
 * Only an active connection is used. The text reaches timelines and models, so it does not name the connection: the name of
 * a personal one is private.
 *
 * @throws SandgateError `conflict`
 */
export function requireActive({ status }: { status: string }): void {
  if (status !== 'active') throw new SandgateError('conflict', `the connection is ${status} — reconnect it`);
}
