import { Injectable } from '@nestjs/common';
import { Like } from 'typeorm';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { CLOCK, insertUnlessThere, updateRow } from '../../../../src/platform/postgres/write-rows.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { ProjectEntity } from '../../core/projects/project.entity.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { countHeld } from '../../core/record/row-counts.js';
import { requireWorkspace, usableWorkspaces, type Workspace } from '../../core/workspaces/workspace-access.js';
import { WorkspaceEntity } from '../../core/workspaces/workspace.entity.js';
import { DocsvcError } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { numberedSlug, slugOf } from '../../domain/slug.js';
import type { Caller } from '../http/caller.decorator.js';
import { requireVersion, Tagged, versionConflict } from '../http/etag.js';
import { answerPage, openPage, type Page, type PageQuery } from '../http/page.js';
import { viewWorkspace, type NewWorkspace, type WorkspaceChanges, type WorkspaceView } from './workspaces.dto.js';

const LIST = 'workspaces';
const MAX_SLUG_TRIES = 50;

/** Workspaces of an organization (DI-003). */
@Injectable()
export class WorkspacesService {
  constructor(private readonly record: Record) {}

  list(caller: Caller, query: PageQuery): Promise<Page<WorkspaceView>> {
    const asked = openPage(caller, LIST, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const page = await newestPage(tx, WorkspaceEntity, await usableWorkspaces(tx, caller), asked);
      const projects = await countHeld(
        tx,
        'projects',
        page.rows.map(({ id }) => id),
      );
      return answerPage(caller, LIST, page, (row) => viewWorkspace(row, projects(row.id)));
    });
  }

  /** @throws DocsvcError `forbidden` for a credential that would not reach what it makes */
  create(caller: Caller, { name, description }: NewWorkspace): Promise<Tagged<WorkspaceView>> {
    if (caller.workspaceIds !== null || caller.projectIds !== null) {
      throw new DocsvcError('forbidden', 'this credential is for certain workspaces or projects and makes no others');
    }
    const normalized = normalizeName(name);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const row = await insertWithFreeSlug(tx, normalized, description ?? null);
      await recordAudit(tx, caller, audited('workspace.created', row.id));
      return new Tagged(viewWorkspace(row, 0), row.row_version);
    });
  }

  read(caller: Caller, id: string): Promise<Tagged<WorkspaceView>> {
    return this.record.inOrganization(caller.orgId, async (tx) => tagged(tx, await requireWorkspace(tx, caller, id)));
  }

  change(
    caller: Caller,
    id: string,
    asked: number | null,
    { name, description }: WorkspaceChanges,
  ): Promise<Tagged<WorkspaceView>> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await requireWorkspace(tx, caller, id);
      requireVersion(asked, before.row_version);
      const row = await updateRow(
        tx,
        WorkspaceEntity,
        { id, row_version: before.row_version },
        {
          ...(name === undefined ? {} : { name: normalizeName(name) }),
          ...(description === undefined ? {} : { description }),
          row_version: before.row_version + 1,
          updated_at: CLOCK,
        },
      );
      if (row === null) throw versionConflict();
      await recordAudit(tx, caller, audited('workspace.changed', id));
      return tagged(tx, row);
    });
  }

  /** @throws DocsvcError `conflict` while it holds a project, also an archived one that is not purged yet */
  remove(caller: Caller, id: string): Promise<void> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      await requireWorkspace(tx, caller, id);
      const projects = await tx.manager.countBy(ProjectEntity, { workspace_id: id });
      if (projects > 0) {
        throw new DocsvcError(
          'conflict',
          `the workspace holds ${projects} projects; archived ones count until they are purged, 30 days later`,
        );
      }
      await tx.manager.delete(WorkspaceEntity, { id });
      await recordAudit(tx, caller, audited('workspace.deleted', id));
    });
  }
}

async function insertWithFreeSlug(tx: RecordTransaction, name: string, description: string | null): Promise<Workspace> {
  const slug = slugOf(name);
  const alike = await tx.manager.countBy(WorkspaceEntity, { slug: Like(`${slug}%`) });
  for (let number = alike === 0 ? 1 : alike + 1; number <= alike + MAX_SLUG_TRIES; number += 1) {
    const row = await insertUnlessThere(tx, WorkspaceEntity, {
      id: newRowId(),
      org_id: tx.organizationId,
      name,
      slug: number === 1 ? slug : numberedSlug(slug, number),
      description,
    });
    if (row !== null) return row;
  }
  throw new DocsvcError('conflict', 'name: too many workspaces have a name like this one');
}

async function tagged(tx: RecordTransaction, row: Workspace): Promise<Tagged<WorkspaceView>> {
  const projects = await countHeld(tx, 'projects', [row.id]);
  return new Tagged(viewWorkspace(row, projects(row.id)), row.row_version);
}

function audited(action: string, subjectId: string) {
  return { action, subjectKind: 'workspace', subjectId };
}
