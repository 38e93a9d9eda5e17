export { collectDiff, type CollectedDiff } from './collect-diff.js';
export { materialize, type MaterializedWorkspace } from './materialize.js';
export { removeBaseline } from './scratch-folder.js';
export type { GitRoute, RemoteAccess } from './remote-access.js';
