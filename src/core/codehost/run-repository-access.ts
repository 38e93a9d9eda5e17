import { SandgateError } from '../../domain/errors.js';
import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import { isBelowCloneBase } from '../../domain/run/clone-url.js';
import type { RunSpec, WorkspaceSpec } from '../../domain/run/spec.js';
import { bindingProblem } from '../bindings/recheck-binding.js';
import { findBinding } from '../bindings/resource-bindings.js';
import type { Database } from '../record/database.js';
import type { RemoteAccess } from '../../platform/workspace/index.js';
import type { CodehostTokens } from './codehost-tokens.js';

type GitRepository = Extract<WorkspaceSpec, { kind: 'git_repository' }>;

/** The parts that all runs share. */
export interface RepositoryAccessParts {
  database: Database;
  tokens: Pick<CodehostTokens, 'get'>;
  /** Where the credentials of connections may be shown. */
  cloneBase: string;
  route: RemoteAccess['route'];
  authorities: RemoteAccess['authorities'];
}

/**
 * What one run may use to fetch its repository: the way to the host, and the credential of the connection that was bound when the run
 * was created, as long as it may still be used (docs/design/workspaces.md, docs/design/connections.md).
 */
export function repositoryAccess(
  parts: RepositoryAccessParts,
  run: { organizationId: string; runId: string },
  { workspace }: Pick<RunSpec, 'workspace'>,
): RemoteAccess {
  return {
    route: parts.route,
    authorities: parts.authorities,
    authorization: async () => {
      if (workspace.kind !== 'git_repository') return null;
      const binding = await usableBinding(parts.database, run, workspace);
      if (binding?.authority.kind !== 'connection') return null;
      // Creation applied the same rule; the base may have changed since.
      if (!isBelowCloneBase(parts.cloneBase, workspace.clone_url))
        throw refusal('its address is not on the code host of the connection any more (SERVICE_CODEHOST_CLONE_BASE)');
      const { connectionId, generation } = binding.authority;
      const { token } = await parts.tokens.get({ organizationId: run.organizationId, connectionId, generation });
      return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    },
  };
}

/** Null for a run that was created before runs had bindings, and so without a connection. */
async function usableBinding(
  database: Database,
  { organizationId, runId }: { organizationId: string; runId: string },
  workspace: GitRepository,
): Promise<ResourceBinding | null> {
  return database.withTenant(organizationId, async (tx) => {
    const binding = await findBinding(tx, { runId, slotKind: 'workspace_fetch', slot: 'workspace' });
    if (binding === null) {
      if (workspace.binding_id === undefined && workspace.connection_id === undefined) return null;
      throw refusal('the binding of its connection is not there');
    }
    if (binding.id !== workspace.binding_id || !isWithinScope(binding, workspace))
      throw refusal('it is not what the run was bound to when it was created');
    const problem = await bindingProblem(tx, binding);
    if (problem !== null) throw refusal(problem);
    return binding;
  });
}

/** The URL always, ref and commits where they were pinned. */
function isWithinScope({ resourceScope }: ResourceBinding, workspace: GitRepository): boolean {
  const { url, ref, commit, base } = resourceScope;
  const pinned = (bound: unknown, asked: string | undefined): boolean => (bound ?? null) === (asked ?? null);
  if (url !== workspace.clone_url || !pinned(base, workspace.base_sha)) return false;
  return pinned(ref, workspace.ref) && pinned(commit, workspace.commit_sha);
}

function refusal(reason: string): SandgateError {
  return new SandgateError('forbidden', `the repository could not be fetched: ${reason}`);
}
