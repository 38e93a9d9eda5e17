import { SandgateError } from '../errors.js';

export const MAX_OPTIONAL_TEXT = 8192;

/** A text member that may be left out; trimmed, and null when nothing remains. @throws SandgateError `invalid_request` */
export function readOptionalText(value: unknown, member: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new SandgateError('invalid_request', `${member}: must be a string`);
  if (value.length > MAX_OPTIONAL_TEXT) {
    throw new SandgateError('invalid_request', `${member}: must have at most ${MAX_OPTIONAL_TEXT} characters`);
  }
  const text = value.trim();
  return text === '' ? null : text;
}
