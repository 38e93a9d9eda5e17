import { invalidMember, type DocsvcError } from '../errors.js';

const MAX_NAME_BYTES = 255;

/** Control characters, path separators, and separators of lines: a name is one line and no path. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}/\\]/u;

/**
 * A name in the one form in which names are kept and compared: NFC, so that the same letters are the same name however they were typed.
 *
 * @param path of the member, for the error
 * @throws DocsvcError `invalid_request` when it is empty, longer than 255 bytes, or has characters that names do not have
 */
export function normalizeName(text: string, path = 'name'): string {
  const name = text.normalize('NFC');
  const bytes = Buffer.byteLength(name, 'utf8');
  if (bytes < 1 || bytes > MAX_NAME_BYTES)
    throw refusal(path, `a name has 1 to ${MAX_NAME_BYTES} bytes in UTF-8, this one has ${bytes}`);
  if (name.trim() === '') throw refusal(path, 'a name has something other than blanks');
  if (!name.isWellFormed()) throw refusal(path, 'a name is text; this one has half of a character (a lone surrogate)');
  if (FORBIDDEN.test(name)) throw refusal(path, 'a name has no control characters, no line breaks and no / or \\');
  if (name === '.' || name === '..') throw refusal(path, `${name} names a folder`);
  return name;
}

function refusal(path: string, message: string): DocsvcError {
  return invalidMember(path, message, 'invalid_name');
}
