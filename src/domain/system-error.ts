/**
 * The code of a failed system call (`ENOENT`), or of a program that ended badly (its exit code). Looked up by shape: errors of
 * another realm are no instances of our `Error`.
 */
export function codeOf(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

/** True for a failed system call with one of these codes. */
export function isSystemError(error: unknown, ...codes: string[]): boolean {
  const code = codeOf(error);
  return typeof code === 'string' && codes.includes(code);
}

/** True for "no such file" and "a part of the path is no folder". */
export function isMissing(error: unknown): boolean {
  return isSystemError(error, 'ENOENT', 'ENOTDIR');
}
