import { In, IsNull, type FindOptionsWhere } from 'typeorm';
import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import type { RecordTransaction } from '../record/record.js';
import { ProjectEntity } from './project.entity.js';

export type Project = Readonly<ProjectEntity>;

type Lists = Pick<Caller, 'workspaceIds' | 'projectIds'>;

/**
 * The project of that id, for whoever works in it.
 *
 * @param absent what is said where it is not found: of something in it, the same as of what nobody has
 * @throws DocsvcError `not_found` for one that is absent, of another organization, or not among those that the credential may use;
 *   `conflict` for an archived one
 */
export async function requireProject(
  tx: RecordTransaction,
  caller: Lists,
  projectId: string,
  absent?: string,
): Promise<Project> {
  const project = await findProject(tx, caller, projectId, absent);
  if (project.archived_at === null) return project;
  throw new DocsvcError('conflict', 'the project is archived: nothing is read from it or added to it any more');
}

/** The same, archived or not. @throws DocsvcError `not_found` */
export async function findProject(
  tx: RecordTransaction,
  caller: Lists,
  projectId: string,
  absent = 'no such project',
): Promise<Project> {
  const project = await tx.manager.findOneBy(ProjectEntity, { id: projectId });
  if (project === null || !mayUse(caller, project)) throw new DocsvcError('not_found', absent);
  return project;
}

/** Whether a credential may use a project; both of its lists have to allow it. */
export function mayUse(
  { workspaceIds, projectIds }: Lists,
  { id, workspace_id: workspaceId }: Pick<ProjectEntity, 'id' | 'workspace_id'>,
): boolean {
  return (workspaceIds?.includes(workspaceId) ?? true) && (projectIds?.includes(id) ?? true);
}

/** What {@link mayUse} allows, as a condition of a query over projects that are not archived. */
export function usableProjects({ workspaceIds, projectIds }: Lists): FindOptionsWhere<ProjectEntity> {
  return {
    archived_at: IsNull(),
    ...(workspaceIds === null ? {} : { workspace_id: In([...workspaceIds]) }),
    ...(projectIds === null ? {} : { id: In([...projectIds]) }),
  };
}
