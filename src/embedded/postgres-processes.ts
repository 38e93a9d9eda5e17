import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, isSystemError } from '../domain/system-error.js';
import { readProcessStat } from '../platform/host/process-stat.js';

interface PostgresProcess {
  readonly pid: number;
  readonly parent: number;
}

/**
 * Every process of the server on this data folder, whoever started it: PostgreSQL's processes all stand in their data
 * folder. The pid file does not serve, because it holds a pid of the server's own namespace.
 */
export function postgresProcesses(dataDir: string): PostgresProcess[] {
  const folder = realpathSync(dataDir);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => inspect(Number(entry), folder) ?? []);
}

/** The postmaster: the process whose parent is not one of them. */
export function postmasterPid(dataDir: string): number | undefined {
  const family = postgresProcesses(dataDir);
  const pids = new Set(family.map((member) => member.pid));
  return family.find((member) => !pids.has(member.parent))?.pid;
}

/**
 * A killed postmaster's backends hold its shared memory, and a new server refuses to start beside them, or while the dead
 * postmaster that its pid file names is not reaped.
 */
export async function killPostgresLeftovers(dataDir: string, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  const ended = new Set(recordedPids(dataDir));
  for (;;) {
    const family = postgresProcesses(dataDir);
    if (family.length === 0 && ![...ended].some(isUnreaped)) return;
    if (Date.now() > deadline) {
      if (family.length === 0) return;
      throw new Error(`processes ${family.map((member) => member.pid).join(', ')} of an earlier PostgreSQL do not end`);
    }
    for (const { pid } of family) {
      kill(pid);
      ended.add(pid);
    }
    await delay(10);
  }
}

function recordedPids(dataDir: string): number[] {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return [];
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return Number.isSafeInteger(pid) && pid > 1 ? [pid] : [];
}

/** Its folder can no longer be asked for, only its name. */
function isUnreaped(pid: number): boolean {
  const stat = readProcessStat(pid);
  return stat?.state === 'Z' && stat.command === 'postgres';
}

function inspect(pid: number, folder: string): PostgresProcess | undefined {
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) !== folder) return undefined;
    const stat = readProcessStat(pid);
    return stat?.command === 'postgres' && stat.state !== 'Z' ? { pid, parent: stat.parent } : undefined;
  } catch (error) {
    // A process that ends meanwhile, or may not be examined, does not belong to this server.
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}
