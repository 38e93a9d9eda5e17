import { readFile } from 'node:fs/promises';
import { watch } from 'node:fs';
import { isMissing } from '../../../domain/system-error.js';

/** What bubblewrap reported on `--json-status-fd`. Without an exit code the program never ran or was killed with bubblewrap. */
export interface LaunchStatus {
  childPid: number | null;
  exitCode: number | null;
}

/** Reads the JSON documents, one a line, that bubblewrap appends; an unfinished last line is left for the next read. */
export function parseStatus(text: string): LaunchStatus {
  const status: LaunchStatus = { childPid: null, exitCode: null };
  for (const line of text.split('\n').slice(0, -1)) {
    const document = JSON.parse(line) as Record<string, unknown>;
    if (typeof document['child-pid'] === 'number') status.childPid = document['child-pid'];
    if (typeof document['exit-code'] === 'number') status.exitCode = document['exit-code'];
  }
  return status;
}

export async function readStatus(path: string): Promise<LaunchStatus> {
  return parseStatus(await readText(path));
}

/** @returns the empty string when the file is not there */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/** Wakes when a file changes; a change between two waits is not missed. The file must exist. */
export class FileWatch implements Disposable {
  private readonly watcher;
  private changed = false;
  private wake: (() => void) | undefined;

  constructor(path: string) {
    this.watcher = watch(path, { persistent: false }, () => this.notify());
    this.watcher.on('error', () => this.notify());
  }

  /** Resolves at the next change, after `timeoutMs`, or when `signal` aborts. */
  async next(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.changed && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener('abort', this.wake, { once: true });
      });
      if (this.wake !== undefined) signal?.removeEventListener('abort', this.wake);
      this.wake = undefined;
    }
    this.changed = false;
  }

  [Symbol.dispose](): void {
    this.watcher.close();
  }

  private notify(): void {
    this.changed = true;
    this.wake?.();
  }
}
