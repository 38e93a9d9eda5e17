import { Injectable } from '@nestjs/common';
import { In, MoreThanOrEqual, type FindOptionsWhere } from 'typeorm';
import { AuditEventEntity } from '../../core/audit/audit-event.entity.js';
import { findProject, usableProjects } from '../../core/projects/project-access.js';
import { ProjectEntity } from '../../core/projects/project.entity.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import type { Caller } from '../http/caller.decorator.js';
import { answerPage, openPage, type Page } from '../http/page.js';
import { viewAuditEvent, type AuditEventView, type AuditQuery } from './audit.dto.js';

/** The audit of an organization; a credential for certain projects reads theirs alone. */
@Injectable()
export class AuditService {
  constructor(private readonly record: Record) {}

  list(caller: Caller, query: AuditQuery): Promise<Page<AuditEventView>> {
    const { action, subjectId, projectId, since } = query;
    const list = ['audit', action ?? '', subjectId ?? '', projectId ?? '', since ?? ''].join(' ');
    const asked = openPage(caller, list, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const where: FindOptionsWhere<AuditEventEntity> = {
        ...(await reachOf(tx, caller, projectId)),
        ...(action === undefined ? {} : { action }),
        ...(subjectId === undefined ? {} : { subject_id: subjectId }),
        ...(since === undefined ? {} : { occurred_at: MoreThanOrEqual(new Date(since)) }),
      };
      return answerPage(caller, list, await newestPage(tx, AuditEventEntity, where, asked), viewAuditEvent);
    });
  }
}

async function reachOf(
  tx: RecordTransaction,
  caller: Caller,
  projectId: string | undefined,
): Promise<FindOptionsWhere<AuditEventEntity>> {
  if (projectId !== undefined) {
    await findProject(tx, caller, projectId);
    return { project_id: projectId };
  }
  if (caller.workspaceIds === null && caller.projectIds === null) return {};
  const projects = await tx.manager.findBy(ProjectEntity, usableProjects(caller));
  return { project_id: In(projects.map(({ id }) => id)) };
}
