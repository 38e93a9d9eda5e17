import { readFileSync } from 'node:fs';
import { isBuildFolder } from './names.js';

export interface BaseEntry {
  mode: string;
  id: string;
}

/** What the base commit holds, by path. Paths are raw bytes written as Latin-1, so that any name has exactly one key. */
export class BaseTree {
  private readonly entries = new Map<string, BaseEntry>();
  private readonly buildFolders = new Set<string>();

  /** @param listing file with the output of `git ls-tree -r -z`, or null for an empty base */
  static read(listing: string | null): BaseTree {
    const tree = new BaseTree();
    if (listing === null) return tree;
    for (const line of readFileSync(listing).toString('latin1').split('\0')) {
      const tab = line.indexOf('\t');
      const [mode, , id] = line.slice(0, tab).split(' ');
      if (tab > 0 && mode !== undefined && id !== undefined) tree.add(line.slice(tab + 1), { mode, id });
    }
    return tree;
  }

  get(path: string): BaseEntry | undefined {
    return this.entries.get(path);
  }

  /** Whether the base tracks something inside this folder of build products. */
  tracksInside(buildFolder: string): boolean {
    return this.buildFolders.has(buildFolder);
  }

  private add(path: string, entry: BaseEntry): void {
    this.entries.set(path, entry);
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      if (isBuildFolder(parts[depth - 1] as string)) this.buildFolders.add(parts.slice(0, depth).join('/'));
    }
  }
}
