import { findPoison } from '../capabilities/poison-screen.js';
import { SandgateError } from '../errors.js';

const MAX_CHARS = 200;

/**
 * The label of a connection: the given one, trimmed, or the default for what is left out or blank. It is shown where people
 * decide, so it holds no character that hides or reorders text.
 *
 * @throws SandgateError `invalid_request`
 */
export function parseDisplayName(given: unknown, fallback: string): string {
  if (given === undefined || given === null) return fallback;
  if (typeof given !== 'string') throw new SandgateError('invalid_request', 'display_name: must be a string');
  const name = given.trim();
  if (name === '') return fallback;
  if (name.length > MAX_CHARS) {
    throw new SandgateError('invalid_request', `display_name: must have at most ${MAX_CHARS} characters`);
  }
  const poison = /[\n\r\t]/.test(name) ? 'a line break or tab' : findPoison(name);
  if (poison !== null) throw new SandgateError('invalid_request', `display_name: must not contain ${poison}`);
  return name;
}
