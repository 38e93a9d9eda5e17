import { join } from 'node:path';
import { HARNESS_INSIDE } from '../../../domain/harness/harness-program.js';
import { TOOLS_INSIDE } from '../../../domain/tools/tool-package.js';
import type { SandboxSpec } from '../provider.js';
import { INSIDE } from './inside.js';

/** A folder or file of this host as a sandbox sees it. */
export interface RunMount {
  source: string;
  target: string;
  readOnly: boolean;
  /** Its content is ours alone and cannot change, so another mount may stand on one of its folders. */
  ours?: true;
}

/** Folders of this host that one run needs; there are no links on the way to them. */
export interface MountedFolders {
  /** Runner and Node. */
  runtime: string;
  /** Installed tool packages, or null where there are none. */
  tools: string | null;
  /** The program of its harness, or null for one that needs none. */
  harness: string | null;
  /** Caches of this host, by their names. */
  caches: Readonly<Record<string, string>>;
  /** Holds `plane.sock`. */
  plane: string;
  workspace: string;
  /** Becomes the home folder; null where that is a file system in memory. */
  home: string | null;
}

/** What is mounted into the sandbox of a run from this host, outer folders first. */
export function runMounts({ harness, workspaceReadOnly }: SandboxSpec, folders: MountedFolders): RunMount[] {
  const optional = (source: string | null, target: string): RunMount[] =>
    source === null ? [] : [{ source, target, readOnly: true }];
  // Only runs of Codex have its settings.
  const settings = harness === 'codex' ? join(folders.runtime, 'runner/codex/etc') : null;
  return [
    { source: folders.runtime, target: INSIDE.runtime, readOnly: true, ours: true },
    ...optional(folders.tools, TOOLS_INSIDE),
    ...optional(settings, INSIDE.codexSettings),
    ...optional(folders.harness, HARNESS_INSIDE),
    ...Object.entries(folders.caches).map(([name, source]) => ({
      source,
      target: `${INSIDE.caches}/${name}`,
      readOnly: true,
    })),
    { source: folders.plane, target: INSIDE.plane, readOnly: true },
    ...(folders.home === null ? [] : [{ source: folders.home, target: INSIDE.home, readOnly: false }]),
    { source: folders.workspace, target: INSIDE.workspace, readOnly: workspaceReadOnly === true },
  ];
}
