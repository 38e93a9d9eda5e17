import { digestEntry, summarizeTree, type DigestLimits, type TreeSummary } from './tree-digest.js';
import type { Entry } from './walk.js';

const MAX_LISTED = 500;
const MAX_DIGESTED_FILE_BYTES = 1024 ** 3;
const SECONDS_FOR_FILES = 15;

/** Something that the patch does not carry. `path` is raw bytes written as Latin-1. */
export interface LeftOut {
  path: string;
  folder: boolean;
  why: string;
  files: number;
  bytes: number;
  /** SHA-256 in hexadecimal; null when there is nothing to digest or the allowance was used up. */
  digest: string | null;
}

/** Names what is left out; folders first, so that many small entries cannot push a folder off the list. */
export class LeftOutList {
  private readonly root: string;
  private readonly folders = new Map<string, string>();
  private readonly files: LeftOut[] = [];
  private readonly until = Date.now() + SECONDS_FOR_FILES * 1000;
  private unlisted = 0;

  constructor(root: string) {
    this.root = root;
  }

  addFolder(path: Buffer, why: string): void {
    const key = path.toString('latin1');
    if (this.folders.has(key)) return;
    if (this.folders.size < MAX_LISTED) this.folders.set(key, why);
    else this.unlisted++;
  }

  /** @param entry where to read the digest from, null when there is nothing to read */
  addFile(path: Buffer, why: string, bytes: number, entry: Entry | null): void {
    if (this.files.length >= MAX_LISTED) {
      this.unlisted++;
      return;
    }
    const digest = entry === null ? null : digestEntry(entry, { bytes: MAX_DIGESTED_FILE_BYTES, until: this.until });
    this.files.push({ path: path.toString('latin1'), folder: false, why, files: 1, bytes, digest });
  }

  /** Counts and digests the folders, last of all, within what the limits leave; empty ones are not listed. */
  settle(limits: DigestLimits): { leftOut: LeftOut[]; unlisted: number } {
    const folders = [...this.folders].map(([path, why]) => {
      const summary = summarizeTree(Buffer.from(`${this.root}/${path}`, 'latin1'), limits);
      return { path, folder: true, why, ...summary };
    });
    const leftOut = [...folders.filter(({ files }) => files > 0), ...this.files];
    return { leftOut, unlisted: this.unlisted };
  }
}

/** The agent's `.git` where it differs from the baseline, except for its index, which `git status` rewrites. */
export function changedRepository(root: string, baseline: string, limits: DigestLimits): LeftOut | undefined {
  const own = summarizeOrAbsent(`${root}/.git`, limits);
  if (own === undefined || own.digest === summarizeTree(baseline, limits, ['index']).digest) return undefined;
  return { path: '.git', folder: true, why: 'repository of the agent', ...own };
}

function summarizeOrAbsent(path: string, limits: DigestLimits): TreeSummary | undefined {
  try {
    return summarizeTree(path, limits, ['index']);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR' || code === 'ELOOP') return { files: 1, bytes: 0, digest: null };
    throw error;
  }
}
