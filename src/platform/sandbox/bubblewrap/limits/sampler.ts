import { readFileSync } from 'node:fs';
import type { SandboxSizes } from '../../../../domain/run/spec.js';
import { codeOf, isMissing } from '../../../../domain/system-error.js';
import { listDescendants } from '../../../host/process-identity.js';
import { OWN_PROCESSES } from './limits.js';

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;

/** What a sandbox without hard limits uses. Shared pages count once for each process: the figure errs on the safe side. */
export interface Usage {
  memoryBytes: number;
  processes: number;
}

export function sampleProcesses(pid: number): Usage {
  const pids = listDescendants(pid);
  return { memoryBytes: pids.reduce((sum, one) => sum + residentBytes(one), 0), processes: pids.length };
}

/** @returns the sentence that ends the run, or null while it stays inside its sizes */
export function breachOf(usage: Usage, sizes: SandboxSizes): string | null {
  if (usage.memoryBytes > sizes.memory_mb * MIB)
    return `the sandbox used more than its ${sizes.memory_mb} MiB of memory`;
  if (usage.processes > sizes.pids + OWN_PROCESSES) return `the sandbox ran more than its ${sizes.pids} processes`;
  return null;
}

export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ESRCH') return 0;
    throw error;
  }
}
