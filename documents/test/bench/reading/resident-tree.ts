import { readFileSync } from 'node:fs';
import { listDescendants } from '../../../../src/platform/host/process-identity.js';

/** MiB that this process and everything that it started hold now. Pages that several share count in parts, so that the sum is true. */
export function residentTreeMib(): number {
  let kib = 0;
  for (const pid of new Set([process.pid, ...listDescendants(process.pid)]))
    kib += Number(/^Pss:\s+(\d+) kB$/m.exec(memoryOf(pid))?.[1] ?? 0);
  return kib / 1024;
}

/** Empty for a process that has ended meanwhile. */
function memoryOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}
