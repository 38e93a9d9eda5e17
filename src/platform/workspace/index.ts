export { collectDiff, type CollectedDiff } from './collect-diff.js';
export { FolderWorkspaces, type WorkspaceFolders } from './folder-workspaces.js';
export { materialize, type MaterializedWorkspace } from './materialize.js';
export { changedFile, measureFiles, type MeasuredFile } from './measure-files.js';
export type { GitRoute, RemoteAccess } from './remote-access.js';
export type { WorkspaceArchive } from './run-archives.js';
export type { WorkspaceFiles, WorkspaceStore } from './workspace-store.js';
