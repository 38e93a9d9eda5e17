import { ArrayContains, In, IsNull } from 'typeorm';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { orderScopes, type Scope } from '../../domain/access/scopes.js';
import { ProjectEntity } from '../projects/project.entity.js';
import { mayUse } from '../projects/project-access.js';
import type { RecordTransaction } from '../record/record.js';
import { WorkspaceEntity } from '../workspaces/workspace.entity.js';
import type { Caller } from '../access/caller.js';
import { OauthClientEntity } from './oauth-client.entity.js';

/** What a credential may do, and where. */
export type Rights = Pick<Caller, 'scopes' | 'workspaceIds' | 'projectIds'>;

/** {@link Rights} of a client that is to be made. */
interface NewRights {
  scopes: Scope[];
  workspaceIds: string[] | null;
  projectIds: string[] | null;
}

type Lists = Pick<Rights, 'workspaceIds' | 'projectIds'>;

/** Whether rights are among those of a credential: nobody can hand out, or take over, more than they have. */
export function areWithin(given: Rights, held: Rights): boolean {
  return given.scopes.every((scope) => held.scopes.includes(scope)) && areListsWithin(given, held);
}

/** The same of where they are good alone. */
export function areListsWithin(given: Lists, held: Lists): boolean {
  return isWithin(given.workspaceIds, held.workspaceIds) && isWithin(given.projectIds, held.projectIds);
}

/**
 * Sees to it that somebody can make clients when this one is gone: an organization without one could never have any again. Belongs into the
 * transaction in which it goes, and locks all who could: of two that revoke each other at the same moment one comes second.
 *
 * @throws DocsvcError `conflict`
 */
export async function requireSuccessor(tx: RecordTransaction, id: string): Promise<void> {
  const { scopes } = await tx.manager.findOneByOrFail(OauthClientEntity, { id });
  if (!scopes.includes('clients:manage')) return;
  const whole = { workspace_ids: IsNull(), project_ids: IsNull(), expires_at: IsNull(), revoked_at: IsNull() };
  const managers = await tx.manager.find(OauthClientEntity, {
    select: { id: true },
    where: { scopes: ArrayContains(['clients:manage']), ...whole },
    order: { id: 'asc' },
    lock: { mode: 'pessimistic_write' },
  });
  if (managers.some((manager) => manager.id !== id)) return;
  throw new DocsvcError(
    'conflict',
    'this is the last client that can manage clients of the whole organization; make another one first',
  );
}

/**
 * The rights of a new client, of existing workspaces and projects.
 *
 * @throws DocsvcError `forbidden` for more than the credential has, `invalid_request` for ids that it does not reach
 */
export async function grantable(tx: RecordTransaction, caller: Caller, asked: NewRights): Promise<NewRights> {
  const missing = asked.scopes.find((scope) => !caller.scopes.includes(scope));
  if (missing !== undefined) {
    throw new DocsvcError('forbidden', `scopes: this credential lacks ${missing} and cannot give it to another one`);
  }
  await requireReached(tx, caller, asked);
  return {
    scopes: orderScopes(asked.scopes),
    workspaceIds: asked.workspaceIds ?? copyOf(caller.workspaceIds),
    projectIds: asked.projectIds ?? copyOf(caller.projectIds),
  };
}

async function requireReached(
  tx: RecordTransaction,
  caller: Caller,
  { workspaceIds, projectIds }: NewRights,
): Promise<void> {
  const workspaces = workspaceIds === null ? [] : await tx.manager.findBy(WorkspaceEntity, { id: In(workspaceIds) });
  const reached = workspaces.map(({ id }) => id).filter((id) => caller.workspaceIds?.includes(id) ?? true);
  refuseAbsent('workspaceIds', workspaceIds, reached);
  const projects = projectIds === null ? [] : await tx.manager.findBy(ProjectEntity, { id: In(projectIds) });
  const usable = projects.filter((project) => mayUse(caller, project)).map(({ id }) => id);
  refuseAbsent('projectIds', projectIds, usable);
}

function refuseAbsent(path: string, asked: string[] | null, found: string[]): void {
  const absent = asked?.find((id) => !found.includes(id));
  if (absent === undefined) return;
  throw invalidMember(path, `has ${absent}, which does not exist or is out of reach`, 'unknown_id');
}

function isWithin(given: readonly string[] | null, held: readonly string[] | null): boolean {
  return held === null || (given !== null && given.every((id) => held.includes(id)));
}

function copyOf(ids: readonly string[] | null): string[] | null {
  return ids === null ? null : [...ids];
}
