import type { FileHandle } from 'node:fs/promises';
import { FileWalk } from './file-walk.js';
import type { WorkspaceRoot } from './workspace-root.js';

const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 64;
const MAX_DURATION_MS = 20_000;

/** Folders that a search leaves out unless its path or pattern names them: they are large and not the agent's work. */
const PASSED_OVER = ['.git', 'node_modules'];

export interface SearchScope extends AsyncDisposable {
  walk: FileWalk;
  /** Real path of the searched folder. */
  realPath: string;
}

/** Opens the folder that Glob and Grep search; the caller disposes it. */
export async function openSearch(
  workspace: WorkspaceRoot,
  folder: string,
  named: string,
  signal: AbortSignal,
): Promise<SearchScope> {
  const { handle, realPath } = await workspace.openDirectory(folder);
  return {
    walk: walkOf(handle, `${folder}/${named}`, signal),
    realPath,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function walkOf(handle: FileHandle, named: string, signal: AbortSignal): FileWalk {
  const skipFolders = new Set(PASSED_OVER.filter((name) => !named.split('/').includes(name)));
  return new FileWalk(handle, {
    maxEntries: MAX_ENTRIES,
    maxDepth: MAX_DEPTH,
    durationMs: MAX_DURATION_MS,
    signal,
    skipFolders,
  });
}

/** The line that ends an answer which is not complete. */
export function cutNotice(walk: FileWalk, tooMany: string | null): string {
  const reason = tooMany ?? walk.stoppedBy;
  return reason === null ? '' : `\n(not complete: stopped by ${reason}; narrow the search)`;
}
