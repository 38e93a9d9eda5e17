import { readFileSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSizes } from '../../../../domain/run/spec.js';
import { codeOf, isMissing } from '../../../../domain/system-error.js';
import { listDescendants } from '../../../host/process-identity.js';
import { OWN_PROCESSES } from './limits.js';

const PAGE_BYTES = 4096;
const MIB = 1024 * 1024;
const BLOCK_BYTES = 512;
/** A walk ends here; a tree with more entries than that is over any limit. */
const MAX_ENTRIES = 500_000;

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

/**
 * Bytes on disk below a folder that an agent writes meanwhile, up to `enoughBytes`. Links are counted, never followed; paths
 * too long for the kernel are not entered, which a limit by file size bounds.
 */
export async function measureFolder(folder: string, enoughBytes: number): Promise<number> {
  const queue = [folder];
  let bytes = 0;
  let entries = 0;
  for (let next = queue.pop(); next !== undefined && bytes <= enoughBytes; next = queue.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        const path = join(next, entry.name);
        bytes += ((await lstat(path).catch(ignoreUnreachable))?.blocks ?? 0) * BLOCK_BYTES;
        if (entry.isDirectory()) queue.push(path);
        if (++entries > MAX_ENTRIES) return Number.POSITIVE_INFINITY;
        if (bytes > enoughBytes) break;
      }
    } catch (error) {
      ignoreUnreachable(error);
    }
  }
  return bytes;
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ESRCH') return 0;
    throw error;
  }
}

function ignoreUnreachable(error: unknown): undefined {
  const code = codeOf(error);
  if (!isMissing(error) && code !== 'EACCES' && code !== 'ENAMETOOLONG' && code !== 'ELOOP') throw error;
  return undefined;
}
