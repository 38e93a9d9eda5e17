import { SandgateError } from '../errors.js';

/** Of one part of a path: what file systems take. */
const MAX_PART_BYTES = 255;
/** Of a path in a workspace, so that a program in any folder of it can name it. */
export const MAX_PATH_BYTES = 4000;
/** Of a path, in folders: some programs walk trees by recursion. */
export const MAX_PATH_DEPTH = 250;

/**
 * Reads the name of an archive's entry. The name is normal afterwards: no empty part and no dot.
 *
 * @returns its parts, none for the top itself
 * @throws SandgateError `invalid_request` that names the entry and what is wrong with it
 */
export function readArchivePath(name: string): string[] {
  if (name.startsWith('/')) throw refusedEntry(name, 'is an absolute path');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const problem = pathProblem(parts);
  if (problem !== null) throw refusedEntry(name, problem);
  return parts;
}

/** Why no archive carries a path of these parts; null for one that it may. */
export function pathProblem(parts: readonly string[]): string | null {
  if (parts.includes('..')) return 'leads out of its folder by ..';
  if (parts.some((part) => textProblem(part) !== null)) return textProblem(parts.join('/'));
  if (parts.length > MAX_PATH_DEPTH) return `lies more than ${MAX_PATH_DEPTH} folders deep`;
  if (parts.some((part) => Buffer.byteLength(part) > MAX_PART_BYTES))
    return `has a part of more than ${MAX_PART_BYTES} bytes`;
  if (Buffer.byteLength(parts.join('/')) > MAX_PATH_BYTES) return `has more than ${MAX_PATH_BYTES} bytes`;
  return null;
}

/** Why a name, or the target of a link, is no text that archives carry faithfully. */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL';
  // What a decoder writes for bytes that are no UTF-8: two such names may be the same text.
  if (text.includes('\ufffd') || !text.isWellFormed()) return 'is not UTF-8';
  return null;
}

/** A refusal that names an entry; control characters and long names are written so that a terminal may show them. */
export function refusedEntry(name: string, problem: string): SandgateError {
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return new SandgateError('invalid_request', `the archive is refused: ${JSON.stringify(shown)} ${problem}`);
}
