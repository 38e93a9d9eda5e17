import { SandgateError } from '../../domain/errors.js';
import type { RequestedWorkspace, WorkspaceSpec } from '../../domain/run/spec.js';
import { assertWithinCloneBase } from '../../domain/run/workspace-input.js';
import { cloneBaseOf, isConfiguredHost } from '../../platform/config/codehost.config.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';

/** What decides which repositories can be fetched. */
export interface FetchRule {
  codehost: SandgateConfig['codehost'];
  egress: Pick<GuardedClient, 'admitUrl'>;
}

/**
 * Why the host of a clone URL is refused without any look-up; its name is resolved at the fetch.
 *
 * @throws SandgateError `invalid_request`
 */
export function assertFetchable(workspace: WorkspaceSpec | RequestedWorkspace, { codehost, egress }: FetchRule): void {
  assertWithinCloneBase(workspace, cloneBaseOf(codehost));
  if (workspace.kind !== 'git_repository' || workspace.clone_url.startsWith('file://')) return;
  if (isConfiguredHost(codehost, new URL(workspace.clone_url))) return;
  const refused = egress.admitUrl(workspace.clone_url);
  if (refused !== null) throw new SandgateError('invalid_request', `workspace.clone_url rejected: ${refused}`);
}
