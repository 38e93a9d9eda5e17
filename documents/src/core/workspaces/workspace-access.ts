import { In, type FindOptionsWhere } from 'typeorm';
import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import { ProjectEntity } from '../projects/project.entity.js';
import type { RecordTransaction } from '../record/record.js';
import { WorkspaceEntity } from './workspace.entity.js';

export type Workspace = Readonly<WorkspaceEntity>;

type Lists = Pick<Caller, 'workspaceIds' | 'projectIds'>;

/**
 * The workspace of that id.
 *
 * @throws DocsvcError `not_found` for one that is absent, of another organization, or out of the credential's reach
 */
export async function requireWorkspace(tx: RecordTransaction, caller: Lists, id: string): Promise<Workspace> {
  const reached = await reachedWorkspaces(tx, caller);
  const workspace = await tx.manager.findOneBy(WorkspaceEntity, { id });
  if (workspace === null || reached?.includes(id) === false) throw new DocsvcError('not_found', 'no such workspace');
  return workspace;
}

/** Workspaces that a credential reaches, as a condition of a query. */
export async function usableWorkspaces(
  tx: RecordTransaction,
  caller: Lists,
): Promise<FindOptionsWhere<WorkspaceEntity>> {
  const reached = await reachedWorkspaces(tx, caller);
  return reached === null ? {} : { id: In(reached) };
}

/** Null for every one; a credential for certain projects reaches the workspaces of these. */
async function reachedWorkspaces(tx: RecordTransaction, { workspaceIds, projectIds }: Lists): Promise<string[] | null> {
  if (projectIds === null) return workspaceIds === null ? null : [...workspaceIds];
  const projects = await tx.manager.findBy(ProjectEntity, { id: In([...projectIds]) });
  return projects.map((project) => project.workspace_id).filter((id) => workspaceIds?.includes(id) ?? true);
}
