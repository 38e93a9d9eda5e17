import { measureFiles, type WorkspaceFiles } from '../../workspace/index.js';
import { RunFolder } from '../room/run-folder.js';

/** What another process of this host than the one with the provider sees of workspaces. */
export function workspaceFiles(dataDir: string): WorkspaceFiles {
  return { measureFiles: (runId, paths) => measureFiles(new RunFolder(dataDir, runId).workspace, paths) };
}
