import type { RunViewer } from '../../core/runs/visible-runs.js';
import { seesAllRuns } from '../../domain/identity/role.js';
import type { Principal } from './principal.js';

/** The caller as a viewer of runs. */
export function runViewerOf(principal: Principal): RunViewer {
  if (principal.kind === 'operator' || seesAllRuns(principal.role)) return { invokedBy: null };
  return { invokedBy: principal.userId };
}
