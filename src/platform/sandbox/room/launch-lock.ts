import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { codeOf, isMissing } from '../../../domain/system-error.js';
import type { ProcessIdentity } from '../../host/process-identity.js';
import { identifyProcess, isAlive } from '../../host/process-identity.js';

/** What a launch needs of its run's folder. */
interface LockedFolder {
  create(): Promise<void>;
  /** Path of the folder that has the lock. */
  readonly sandbox: string;
}

/** Launches of this process, one at a time for each run. */
export class Launches<Launched> {
  private readonly running = new Map<string, Promise<Launched>>();

  /**
   * Launches a run, or joins the launch that this process has on its way.
   * @throws SandgateError `conflict` while another process launches the run
   */
  join(runId: string, folder: LockedFolder, launch: () => Promise<Launched>): Promise<Launched> {
    const running = this.running.get(runId);
    if (running !== undefined) return running;
    const launched = folder
      .create()
      .then(() => withLaunchLock(folder.sandbox, launch))
      .finally(() => this.running.delete(runId));
    this.running.set(runId, launched);
    return launched;
  }
}

/**
 * Keeps two processes from launching the same run at once. A lock whose holder died is taken over.
 * @throws SandgateError `conflict` while another process launches
 */
async function withLaunchLock<T>(folder: string, launch: () => Promise<T>): Promise<T> {
  const path = join(folder, 'launch.lock');
  await lock(path);
  try {
    return await launch();
  } finally {
    await rm(path, { force: true });
  }
}

async function lock(path: string): Promise<void> {
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(JSON.stringify(identifyProcess(process.pid)));
      await file.close();
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const holder = await readHolder(path);
      if (holder !== null && holder.pid !== process.pid && isAlive(holder)) {
        throw new SandgateError('conflict', `process ${holder.pid} is launching this run's sandbox`);
      }
      await rm(path, { force: true });
    }
  }
}

async function readHolder(path: string): Promise<ProcessIdentity | null> {
  try {
    const text = await readFile(path, 'utf8');
    return text === '' ? null : (JSON.parse(text) as ProcessIdentity);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
