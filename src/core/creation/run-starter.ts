import type { ResolverKind } from '../../domain/connections/resource-binding.js';
import type { Viewer } from '../connections/viewer.js';

/** Who starts a run. The run acts with no connection that its starter could not use. */
export interface RunStarter {
  kind: Exclude<ResolverKind, 'system'>;
  /** The user, the token of a subscription, or the subscription itself; null for the operator. */
  principalId: string | null;
  /** What it may see of connections. */
  viewer: Viewer;
}
