import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isSystemError } from '../domain/system-error.js';
import { isAlive, ownIdentity } from './process-identity.js';
import type { ProcessIdentity } from './process-identity.js';
import { StartRefused } from './start-refused.js';

/** What `<data>/supervisor.json` tells about the running installation; the command line uses it to find the server. */
export interface Instance extends ProcessIdentity {
  readonly url?: string;
  readonly temporalAddress?: string;
  readonly temporalWebUrl?: string | undefined;
  readonly adminTokenFile?: string;
  /** Of the documents service: the client that the first start made. */
  readonly clientFile?: string;
  readonly postgresSocketDir?: string | undefined;
  readonly startedAt: string;
}

/** One supervisor per state folder: two would run two PostgreSQL servers on the same files. */
export class StateLock {
  private constructor(
    private readonly path: string,
    private instance: Instance,
  ) {}

  /** Takes the lock or throws `StartRefused` naming the living holder's pid. A dead holder's lock is taken over. */
  static acquire(path: string, product: string = 'Sandgate'): StateLock {
    const instance: Instance = { ...ownIdentity(), startedAt: new Date().toISOString() };
    for (let attempt = 0; attempt < 5; attempt++) {
      if (publish(path, instance)) return new StateLock(path, instance);
      const holder = readInstance(path);
      if (holder !== undefined && isAlive(holder)) throw heldBy(holder, path, product);
      removeStale(path, holder);
    }
    throw new StartRefused(`${path} keeps changing hands; another start on this folder is under way`);
  }

  /** Adds what became known during the start; readers see the old or the new document, whole. */
  describe(details: Partial<Instance>): void {
    this.instance = { ...this.instance, ...details };
    const draft = writeDraft(this.path, this.instance);
    renameSync(draft, this.path);
  }

  release(): void {
    if (readInstance(this.path)?.pid === process.pid) rmSync(this.path, { force: true });
  }
}

/** The recorded installation, whether it lives or not; undefined when there is none. */
export function readInstance(path: string): Instance | undefined {
  try {
    const document = JSON.parse(readFileSync(path, 'utf8')) as Partial<Instance>;
    return typeof document.pid === 'number' ? ({ startTime: '', startedAt: '', ...document } as Instance) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The recorded installation if its supervisor lives. */
export function readLiveInstance(path: string): Instance | undefined {
  const instance = readInstance(path);
  return instance !== undefined && isAlive(instance) ? instance : undefined;
}

function publish(path: string, instance: Instance): boolean {
  const draft = writeDraft(path, instance);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDraft(path: string, instance: Instance): string {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
  return draft;
}

/** Between reading a dead holder and removing its file somebody else may have taken over: then theirs is put back. */
function removeStale(path: string, read: Instance | undefined): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  const moved = readInstance(aside);
  const changed = moved !== undefined && (moved.pid !== read?.pid || moved.startTime !== read.startTime);
  if (changed && isAlive(moved)) linkSync(aside, path);
  rmSync(aside, { force: true });
}

function heldBy(holder: Instance, path: string, product: string): StartRefused {
  const address = holder.url === undefined ? '' : ` at ${holder.url}`;
  return new StartRefused(
    `${product} already runs on this state folder${address}: process ${holder.pid} holds ${path}`,
  );
}
