import { Injectable } from '@nestjs/common';
import { And, Equal, type FindOperator } from 'typeorm';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { CLOCK, insertRows, updateRow } from '../../../../src/platform/postgres/write-rows.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { findProject, requireProject, usableProjects, type Project } from '../../core/projects/project-access.js';
import { ProjectEntity } from '../../core/projects/project.entity.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { countHeld } from '../../core/record/row-counts.js';
import { unlessTaken } from '../../core/record/unique-name.js';
import { requireWorkspace } from '../../core/workspaces/workspace-access.js';
import { DocsvcError } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { changeSettings, DEFAULT_SETTINGS } from '../../domain/project-settings.js';
import type { Caller } from '../http/caller.decorator.js';
import { requireVersion, Tagged, versionConflict } from '../http/etag.js';
import { answerPage, openPage, type Page } from '../http/page.js';
import {
  viewProject,
  type NewProject,
  type ProjectChanges,
  type ProjectsQuery,
  type ProjectView,
} from './projects.dto.js';

const LIST = 'projects';
const TAKEN = 'name: the workspace has a project of this name';

/** Projects of workspaces (DI-003, DI-039). */
@Injectable()
export class ProjectsService {
  constructor(private readonly record: Record) {}

  list(caller: Caller, query: ProjectsQuery): Promise<Page<ProjectView>> {
    const { workspaceId, name } = query;
    const list = [LIST, workspaceId ?? '', name ?? ''].join(' ');
    const asked = openPage(caller, list, query);
    const usable = usableProjects(caller);
    const ofWorkspace = usable.workspace_id as FindOperator<string> | undefined;
    const where = {
      ...usable,
      ...(name === undefined ? {} : { name: name.normalize('NFC') }),
      ...(workspaceId === undefined
        ? {}
        : { workspace_id: ofWorkspace === undefined ? workspaceId : And(ofWorkspace, Equal(workspaceId)) }),
    };
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const page = await newestPage(tx, ProjectEntity, where, asked);
      const documents = await countHeld(
        tx,
        'documents',
        page.rows.map(({ id }) => id),
      );
      return answerPage(caller, list, page, (row) => viewProject(row, documents(row.id)));
    });
  }

  /** @throws DocsvcError `conflict` for a name that is taken, `forbidden` for a credential of certain projects */
  create(caller: Caller, { workspaceId, name, description, settings }: NewProject): Promise<Tagged<ProjectView>> {
    if (caller.projectIds !== null) {
      throw new DocsvcError('forbidden', 'this credential is for certain projects and makes no others');
    }
    const row = {
      id: newRowId(),
      org_id: caller.orgId,
      name: normalizeName(name),
      description: description ?? null,
      settings: changeSettings(DEFAULT_SETTINGS, settings ?? {}),
    };
    return unlessTaken('projects_name', TAKEN, () =>
      this.record.inOrganization(caller.orgId, async (tx) => {
        const workspace = await requireWorkspace(tx, caller, workspaceId);
        await insertRows(tx, ProjectEntity, [{ ...row, workspace_id: workspace.id }]);
        await recordAudit(tx, caller, audited('project.created', row.id));
        return tagged(tx, await requireProject(tx, caller, row.id));
      }),
    );
  }

  read(caller: Caller, id: string): Promise<Tagged<ProjectView>> {
    return this.record.inOrganization(caller.orgId, async (tx) => tagged(tx, await findProject(tx, caller, id)));
  }

  change(
    caller: Caller,
    id: string,
    asked: number | null,
    { name, description, settings }: ProjectChanges,
  ): Promise<Tagged<ProjectView>> {
    return unlessTaken('projects_name', TAKEN, () =>
      this.record.inOrganization(caller.orgId, async (tx) => {
        const before = await requireProject(tx, caller, id);
        requireVersion(asked, before.row_version);
        const changes = {
          ...(name === undefined ? {} : { name: normalizeName(name) }),
          ...(description === undefined ? {} : { description }),
          ...(settings === undefined
            ? {}
            : { settings: changeSettings({ ...DEFAULT_SETTINGS, ...before.settings }, settings) }),
        };
        const row = await write(tx, before, changes);
        await recordAudit(tx, caller, { ...audited('project.changed', id), detail: { members: Object.keys(changes) } });
        return tagged(tx, row);
      }),
    );
  }

  /** Archives: the name is free again, and what the project holds is purged later. */
  archive(caller: Caller, id: string): Promise<void> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await findProject(tx, caller, id);
      if (before.archived_at !== null) return;
      await write(tx, before, { archived_at: CLOCK });
      await recordAudit(tx, caller, audited('project.archived', id));
    });
  }
}

async function write(
  tx: RecordTransaction,
  { id, row_version: version }: Project,
  changes: Partial<Omit<Project, 'archived_at'>> & { archived_at?: () => string },
): Promise<Project> {
  const values = { ...changes, row_version: version + 1, updated_at: CLOCK };
  const row = await updateRow(tx, ProjectEntity, { id, row_version: version }, values);
  if (row === null) throw versionConflict();
  return row;
}

async function tagged(tx: RecordTransaction, row: Project): Promise<Tagged<ProjectView>> {
  const documents = await countHeld(tx, 'documents', [row.id]);
  return new Tagged(viewProject(row, documents(row.id)), row.row_version);
}

function audited(action: string, id: string) {
  return { action, subjectKind: 'project', subjectId: id, projectId: id };
}
