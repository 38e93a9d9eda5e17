import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SMALL_HEAP } from '../../../../src/embedded/documents-service.js';
import type { FileRead } from './jailed-reading.js';
import { TreeMemory } from './resident-tree.js';

/** Reads a PDF through liteparse alone, in one process; the time begins when the library is loaded. */
export async function readBare(file: string): Promise<FileRead> {
  return (await readIn('bare-liteparse.js', [file], [])).read;
}

/**
 * Reads a PDF through the jail, batch after batch, from a process with the heap of a worker.
 *
 * @param withMemory looks at the memory of both meanwhile, which costs time
 */
export async function readAsWorker(
  file: string,
  pages: number,
  withMemory: boolean,
): Promise<{ read: FileRead; mib: number }> {
  return readIn('as-worker.js', [file, String(pages)], SMALL_HEAP, withMemory);
}

async function readIn(
  program: string,
  args: string[],
  options: string[],
  withMemory = false,
): Promise<{ read: FileRead; mib: number }> {
  const script = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [...options, script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  using memory = withMemory ? new TreeMemory(child.pid) : null;
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`${program} ended with exit code ${String(code)}`);
  return { read: JSON.parse(printed) as FileRead, mib: memory?.mostMib ?? 0 };
}
