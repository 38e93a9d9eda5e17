import { constants } from 'node:fs';
import { open, opendir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ToolFailure } from './tool-failure.js';
import { childPath, descriptorPath, openSubdirectory } from './workspace-root.js';

export interface WalkBounds {
  maxEntries: number;
  maxDepth: number;
  durationMs: number;
  signal: AbortSignal;
  /** Names of folders that are not entered. */
  skipFolders: ReadonlySet<string>;
}

export interface FoundFile {
  /** Relative to the start of the walk, with `/` between components. */
  relativePath: string;
  /** Opens it for reading; valid until the walk goes on. The caller closes it. */
  open: () => Promise<FileHandle>;
}

const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The regular files below a directory in the order of their names, neither following nor reporting links. Bounded in
 * entries, depth and time; `stoppedBy` says which bound cut it short.
 */
export class FileWalk {
  stoppedBy: string | null = null;
  #halted = false;
  #entries = 0;
  readonly #deadline: number;

  constructor(
    private readonly start: FileHandle,
    private readonly bounds: WalkBounds,
  ) {
    this.#deadline = Date.now() + bounds.durationMs;
  }

  files(): AsyncGenerator<FoundFile> {
    return this.#walk(this.start, '', 0);
  }

  /** True when the walk has ended before its time; a caller with long work of its own asks between its steps. */
  get outOfTime(): boolean {
    if (this.bounds.signal.aborted) this.#halt('the end of the run');
    else if (Date.now() > this.#deadline) this.#halt(`the time limit of ${this.bounds.durationMs / 1000} s`);
    return this.#halted;
  }

  async *#walk(directory: FileHandle, prefix: string, depth: number): AsyncGenerator<FoundFile> {
    for (const entry of await this.#list(directory)) {
      if (this.outOfTime) return;
      const relativePath = prefix + entry.name;
      if (!entry.isFolder) {
        yield { relativePath, open: () => open(childPath(directory, entry.name), FILE_FLAGS) };
        continue;
      }
      if (this.bounds.skipFolders.has(entry.name)) continue;
      if (depth >= this.bounds.maxDepth) {
        // Only this branch ends here; the walk of the rest goes on.
        this.stoppedBy ??= `the depth limit of ${this.bounds.maxDepth}`;
        continue;
      }
      const folder = await openIfThere(directory, entry.name);
      if (folder === null) continue;
      try {
        yield* this.#walk(folder, `${relativePath}/`, depth + 1);
      } finally {
        await folder.close();
      }
    }
  }

  #halt(reason: string): void {
    this.#halted = true;
    this.stoppedBy ??= reason;
  }

  /** Entries of one directory; read piecemeal, so that a huge directory cannot fill the memory before it is bounded. */
  async #list(directory: FileHandle): Promise<{ name: string; isFolder: boolean }[]> {
    const found: { name: string; isFolder: boolean }[] = [];
    for await (const entry of await opendir(descriptorPath(directory))) {
      this.#entries += 1;
      if (this.#entries > this.bounds.maxEntries) {
        this.#halt(`the limit of ${this.bounds.maxEntries} entries`);
        return [];
      }
      if (entry.isDirectory() || entry.isFile()) found.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Null when the entry vanished, was replaced by a link, or may not be read: the tree changes while it is walked. */
async function openIfThere(parent: FileHandle, name: string): Promise<FileHandle | null> {
  try {
    return await openSubdirectory(parent, name);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
