import { readdirSync, readFileSync } from 'node:fs';
import { isSystemError } from '../../../src/domain/system-error.js';
import { listDescendants } from '../../../src/platform/host/process-identity.js';

/**
 * Memory of what runs for something: of every process that names it on its command line, and of all below those. Pages that several
 * processes share count in parts, so that sums are true.
 * @returns MiB
 */
export function memoryOf(name: string): number {
  const named = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((entry) => read(`/proc/${entry}/cmdline`).includes(name));
  if (named.length === 0) throw new Error(`no process names ${name}`);
  const all = new Set(named.flatMap((entry) => listDescendants(Number(entry))));
  const kib = [...all].map((pid) => Number(/^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kib.reduce((sum, one) => sum + one, 0) / 1024;
}

/** Empty for a process that ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH')) return '';
    throw error;
  }
}
