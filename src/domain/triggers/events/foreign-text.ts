/** Longest text that is taken over from a payload; titles and branch names of code hosts are far shorter. */
const MAX_CHARACTERS = 1024;

/**
 * A text that a stranger wrote, as the record can hold it: NUL and half surrogate pairs are replaced, what is too long is cut. It
 * stays the stranger's words: context of a run, never an instruction of ours.
 */
export function foreignText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.slice(0, MAX_CHARACTERS).replaceAll('\u0000', '\ufffd').toWellFormed();
}
