import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { basename } from 'node:path';
import type { BenchStack } from './bench-stack.js';

export interface Machine {
  cpu: string;
  cores: number;
  memory_gib: number;
  kernel: string;
  node: string;
  postgresql: string;
  temporal: string;
  bubblewrap: string;
  load_before: number[];
  load_after: number[];
}

export async function describeMachine(stack: BenchStack): Promise<Omit<Machine, 'load_after'>> {
  const { rows } = await stack.owner.query<{ server_version: string }>('show server_version');
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gib: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    node: process.version,
    postgresql: rows[0]?.server_version ?? 'unknown',
    temporal: temporalVersion(stack),
    bubblewrap: versionOf('bwrap'),
    load_before: loadavg(),
  };
}

function temporalVersion(stack: BenchStack): string {
  const pid = stack.installation.pids['temporal'];
  const binary = pid === undefined ? 'temporal' : `/proc/${pid}/exe`;
  return versionOf(binary);
}

function versionOf(program: string): string {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 }).trim();
  } catch (error) {
    return `${basename(program)}: ${(error as Error).message}`;
  }
}
