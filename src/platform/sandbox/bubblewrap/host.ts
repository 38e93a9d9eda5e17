import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { SandgateError } from '../../../domain/errors.js';
import type { SandboxMode } from './arguments.js';
import { chooseLimiter } from './limits/choose-limiter.js';
import { removeAbandonedGroups } from './limits/confined-group.js';
import type { Limiter } from './limits/limits.js';
import { compileFilter } from '../seccomp/compile-filter.js';
import { MOBY_DEFAULT_PROFILE } from '../seccomp/moby-default-profile.js';
import { currentMachine } from '../seccomp/syscall-numbers.js';
import { findRoomAbilities } from '../room/try-room.js';
import type { RoomAbilities } from '../room/run-rooms.js';
import type { SystemFacts } from './system-facts.js';
import { readSystemFacts } from './system-facts.js';

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;
const UNCOUNTED_MEMORY = ['memfd_create', 'memfd_secret', 'shmget'];
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin';

/** What this host offers to sandboxes; found out once for each process. */
export interface Host extends RoomAbilities {
  mode: SandboxMode;
  bwrap: string;
  version: string;
  facts: SystemFacts;
  filter: Buffer;
  /** {@link filter} without the ways to keep memory that belongs to no process and no folder. */
  countedFilter: Buffer;
  limiter: Limiter;
}

/** The part of {@link Host} that needs no trial, enough for confined programs of our own. */
export type ConfinedHost = Pick<Host, 'mode' | 'bwrap' | 'facts' | 'filter' | 'countedFilter'>;

export function currentMode(): SandboxMode {
  return process.getuid?.() === 0 ? 'root' : 'user';
}

let confinedHost: ConfinedHost | undefined;

/** @throws SandgateError `unavailable` with what to do, where no sandbox can be built at all */
export function findConfinedHost(): ConfinedHost {
  confinedHost ??= {
    mode: currentMode(),
    bwrap: findBubblewrap(),
    facts: readSystemFacts(),
    filter: buildFilter(),
    countedFilter: buildFilter(UNCOUNTED_MEMORY),
  };
  return confinedHost;
}

let limiter: Promise<Limiter> | undefined;

/** The strictest limiter of this host, for confined programs; found out once for each process. */
export function findConfinedLimiter(): Promise<Limiter> {
  limiter ??= findLimiter().catch((error: unknown) => {
    // The next caller tries again.
    limiter = undefined;
    throw error;
  });
  return limiter;
}

async function findLimiter(): Promise<Limiter> {
  const chosen = await chooseLimiter(currentMode());
  await removeAbandonedGroups(chosen);
  return chosen;
}

/** Finds out what the host offers. Trials of limits take some milliseconds. @throws SandgateError `unavailable` as {@link findConfinedHost} */
export async function findHost(): Promise<Host> {
  const confined = findConfinedHost();
  const [version, limiter] = await Promise.all([readVersion(confined.bwrap), chooseLimiter(confined.mode)]);
  return { ...confined, ...findRoomAbilities(), version, limiter };
}

function findBubblewrap(): string {
  for (const folder of [...SYSTEM_PATH.split(':'), ...(process.env['PATH'] ?? '').split(delimiter)]) {
    if (folder.startsWith('/') && isAllowed(join(folder, 'bwrap'), constants.X_OK)) return join(folder, 'bwrap');
  }
  throw new SandgateError(
    'unavailable',
    'bubblewrap (the program bwrap) is not installed; install the package `bubblewrap` of this system',
  );
}

function buildFilter(absent: readonly string[] = []): Buffer {
  const machine = currentMachine();
  if (machine === undefined)
    throw new SandgateError('unavailable', `sandboxes run on x86-64 and arm64; this machine is ${process.arch}`);
  return compileFilter(MOBY_DEFAULT_PROFILE, machine, absent);
}

async function readVersion(bwrap: string): Promise<string> {
  const { stdout } = await run(bwrap, ['--version'], { timeout: TIMEOUT_MS, env: {} });
  return stdout.trim().replace(/^bubblewrap /, '');
}

function isAllowed(path: string, access: number): boolean {
  try {
    accessSync(path, access);
    return true;
  } catch {
    return false;
  }
}
