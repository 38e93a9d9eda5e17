import { CliError, EXIT } from '../terminal/exit-codes.js';

/** Ids begin with the time, so people copy the end as often as the beginning. */
export function isPart(id: string, part: string): boolean {
  return id.startsWith(part) || id.endsWith(part);
}

/** Whether a key may stand for an id: shorter parts are slips. */
export function isLongPart(id: string, key: string): boolean {
  return key.length >= 4 && isPart(id, key.toLowerCase());
}

/**
 * The one thing that a key names.
 *
 * @throws CliError `not_found` that says `none`, or `usage` that says `several`
 */
export function onlyMatch<T>(matches: readonly T[], { none, several }: { none: string; several: string }): T {
  const [match, ...others] = matches;
  if (match === undefined) throw new CliError(none, EXIT.notFound);
  if (others.length > 0) throw new CliError(several, EXIT.usage);
  return match;
}
