import type { Viewer } from '../connections/viewer.js';

/** Who starts a run. The run acts with no connection that its starter could not use. */
export interface RunStarter {
  kind: 'operator' | 'user';
  /** What it may see of connections. */
  viewer: Viewer;
}
