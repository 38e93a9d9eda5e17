import { findPoison } from '../capabilities/poison-screen.js';

const MAX_CHARS = 200;

/** Why a text cannot be the label of a connection, or undefined: where people decide, it hides and reorders nothing. */
export function labelProblem(name: string): string | undefined {
  if (name.length > MAX_CHARS) return `must have at most ${MAX_CHARS} characters`;
  const poison = /[\n\r\t]/.test(name) ? 'a line break or tab' : findPoison(name);
  return poison === null ? undefined : `must not contain ${poison}`;
}
