import { openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 16 * 1024 * 1024;

/** Opens `<logs>/<name>.log` for appending; a file that grew large is put aside once, as `<name>.log.1`. */
export function openLog(logs: string, name: string): number {
  const path = join(logs, `${name}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** The end of a log, indented, for a message about a part that ended. */
export function lastLines(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-8);
  return lines.map((line) => `    ${line.slice(0, 400)}`).join('\n');
}
