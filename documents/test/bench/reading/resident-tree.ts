import { readFileSync } from 'node:fs';
import { listDescendants } from '../../../../src/platform/host/process-identity.js';

/**
 * MiB that a process and everything that it started hold now. Pages that several share count in parts, so that the sum is true.
 *
 * @param root pid of that process, this one where none is named
 */
export function residentTreeMib(root = process.pid): number {
  return [...new Set([root, ...listDescendants(root)])].reduce((sum, pid) => sum + residentMib(pid), 0);
}

/** The same for one process alone. */
export function residentMib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(memoryOf(pid))?.[1] ?? 0) / 1024;
}

/** Looks at the memory of a process and of everything below it ten times a second, until it is stopped. */
export class TreeMemory {
  /** The most that was seen, in MiB. */
  mostMib = 0;
  /** What the process itself held of that. */
  ofRootMib = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly root = process.pid) {
    this.timer = setInterval(() => this.look(), SAMPLE_MS);
  }

  private look(): void {
    const mib = residentTreeMib(this.root);
    if (mib <= this.mostMib) return;
    this.mostMib = mib;
    this.ofRootMib = residentMib(this.root);
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }
}

const SAMPLE_MS = 100;

/** Empty for a process that has ended meanwhile. */
function memoryOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}
