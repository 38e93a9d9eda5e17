import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isSystemError } from '../../../../src/domain/system-error.js';
import { listDescendants } from '../../../../src/platform/host/process-identity.js';

const PROGRAM = 'documents/engine/main.js';
const BEGINS_WITHIN_MS = 60_000;

/** The engine that runs below a process, as soon as one does. @returns its pid */
export async function untilEngine(ofPid: number): Promise<number> {
  const own = commandOf(ofPid);
  let others = new Set<string>();
  for (const deadline = Date.now() + BEGINS_WITHIN_MS; Date.now() < deadline; await delay(10)) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    // A look at every process takes longer than an engine may: only those are looked at that are new, or have just been forked.
    const commands = pids.filter((pid) => !others.has(pid)).map((pid) => [pid, commandOf(Number(pid))] as const);
    const engines = commands.filter(([, command]) => command.includes(PROGRAM)).map(([pid]) => Number(pid));
    const below = engines.length === 0 ? [] : listDescendants(ofPid);
    const engine = engines.find((pid) => below.includes(pid));
    if (engine !== undefined) return engine;
    const unsettled = new Set(commands.filter(([, command]) => command === own || command === '').map(([pid]) => pid));
    others = new Set(pids.filter((pid) => !unsettled.has(pid)));
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
