import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isSystemError } from '../../../../src/domain/system-error.js';
import { listDescendants } from '../../../../src/platform/host/process-identity.js';

const PROGRAM = 'documents/engine/main.js';
const BEGINS_WITHIN_MS = 60_000;

/** The engine that runs below a process, as soon as one does. @returns its pid */
export async function untilEngine(ofPid: number): Promise<number> {
  for (const deadline = Date.now() + BEGINS_WITHIN_MS; Date.now() < deadline; await delay(10)) {
    const engine = listDescendants(ofPid).find((pid) => commandOf(pid).includes(PROGRAM));
    if (engine !== undefined) return engine;
  }
  throw new Error('no engine was started');
}

/** Keeps the next engine below a process from going on. @returns what lets it go on */
export async function holdEngine(ofPid: number): Promise<() => void> {
  const engine = await untilEngine(ofPid);
  process.kill(engine, 'SIGSTOP');
  return () => void process.kill(engine, 'SIGCONT');
}

/** As the kernel does where memory is short. */
export async function killEngine(ofPid: number): Promise<void> {
  process.kill(await untilEngine(ofPid), 'SIGKILL');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH')) return '';
    throw error;
  }
}
