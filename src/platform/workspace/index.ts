export { collectDiff, DiffMissing, MAX_PATCH_BYTES, type CollectedDiff, type CollectRequest } from './collect-diff.js';
export { materialize, type MaterializedWorkspace, type MaterializeRequest } from './materialize.js';
export { emptyTree, removeTree } from './remove-tree.js';
export { removeBaseline } from './scratch-folder.js';
