import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { chooseVersions } from '../../core/extractions/choose-versions.js';
import { requireExtraction } from '../../core/extractions/extraction-access.js';
import { cancelExtraction } from '../../core/extractions/extraction-moves.js';
import { ExtractionEntity } from '../../core/extractions/extraction.entity.js';
import {
  digestRequest,
  findByExternalId,
  retryExtraction,
  schemaOfVersion,
  startExtraction,
  type StartLimits,
} from '../../core/extractions/start-extraction.js';
import { wakeExtraction } from '../../core/extractions/wake-extraction.js';
import { requireProject, type Project } from '../../core/projects/project-access.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { checkMetadata } from '../../domain/documents/annotations.js';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Caller } from '../http/caller.decorator.js';
import { answerPage, openPage, type Page } from '../http/page.js';
import { viewExtraction, type ExtractionView, type StartedExtraction } from './extraction-views.dto.js';
import type { ExtractionsQuery, NewExtraction } from './extractions.dto.js';

/** Runs of extraction (DI-014, DI-018). */
@Injectable()
export class ExtractionsService {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
  ) {}

  /**
   * Starts a run, or answers the one that the project has under this external id.
   *
   * @throws DocsvcError `no_documents`, `not_implemented` for an engine with a model, `rate_limited`, `quota_exceeded`
   */
  start(caller: Caller, projectId: string, body: NewExtraction): Promise<StartedExtraction> {
    const { externalId, ...asked } = body;
    const digest = digestRequest({ ...asked } as unknown as JsonObject);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const project = await requireProject(tx, caller, projectId);
      const known = externalId === undefined ? null : await findByExternalId(tx, project.id, externalId);
      if (known !== null) return replay(known, digest);
      const made = await this.begin(tx, caller, project, body, digest);
      if (made !== null) return { ...viewExtraction(made), replayed: false, requestMatches: true };
      const first = await findByExternalId(tx, project.id, externalId ?? '');
      if (first === null)
        throw new DocsvcError('conflict', 'the run with this externalId was purged; repeat the request');
      return replay(first, digest);
    });
  }

  list(caller: Caller, projectId: string, query: ExtractionsQuery): Promise<Page<ExtractionView>> {
    const { status, schemaId, externalId, createdAfter } = query;
    const list = `extractions of ${projectId} ${JSON.stringify([status, schemaId, externalId, createdAfter])}`;
    const asked = openPage(caller, list, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const project = await requireProject(tx, caller, projectId);
      const where = {
        project_id: project.id,
        ...(status === undefined ? {} : { status }),
        ...(schemaId === undefined ? {} : { schema_id: schemaId }),
        ...(externalId === undefined ? {} : { external_id: externalId }),
        ...(createdAfter === undefined ? {} : { created_at: MoreThan(new Date(createdAfter)) }),
      };
      return answerPage(caller, list, await newestPage(tx, ExtractionEntity, where, asked), viewExtraction);
    });
  }

  read(caller: Caller, id: string): Promise<ExtractionView> {
    return this.record.inOrganization(caller.orgId, async (tx) =>
      viewExtraction(await requireExtraction(tx, caller, id)),
    );
  }

  /** @returns the run, and whether it is still to stop; one that has ended is answered as it is */
  cancel(caller: Caller, id: string): Promise<{ run: ExtractionView; isStopping: boolean }> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await requireExtraction(tx, caller, id);
      const asked = await cancelExtraction(tx, id);
      if (asked === true) {
        await wakeExtraction(tx, { id, projectId: before.project_id, externalId: before.external_id });
        await recordAudit(tx, caller, audited('extraction.cancelled', before));
      }
      const run = viewExtraction(await requireExtraction(tx, caller, id));
      return { run, isStopping: asked !== null };
    });
  }

  /** @throws DocsvcError `not_retryable`, `rate_limited`, `quota_exceeded` */
  retry(caller: Caller, id: string, onlyFailed: boolean): Promise<ExtractionView> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await requireExtraction(tx, caller, id);
      const run = await retryExtraction(tx, caller, before, onlyFailed, this.limits);
      await recordAudit(tx, caller, {
        ...audited('extraction.retried', run),
        detail: { attempt: run.attempt, onlyFailed },
      });
      return viewExtraction(run);
    });
  }

  private get limits(): StartLimits {
    const { rates, quotas } = this.config;
    return { perMinute: rates.extractionsPerMin, running: quotas.runningExtractions };
  }

  private async begin(
    tx: RecordTransaction,
    caller: Caller,
    project: Project,
    body: NewExtraction,
    requestDigest: Buffer,
  ): Promise<ExtractionEntity | null> {
    requireLocal(body.engine ?? project.settings.defaultEngine);
    const { first = null, last = null } = body.pageRange ?? {};
    if (first !== null && last !== null && last < first)
      throw invalidMember('pageRange.last', 'is before pageRange.first');
    const { schemaVersionId } = body;
    const schemaId = await schemaOfVersion(tx, project.id, schemaVersionId);
    const run = {
      ...{ projectId: project.id, schemaId, schemaVersionId },
      ...{ externalId: body.externalId ?? null, requestDigest, mode: body.mode ?? 'per_document' },
      versionIds: await chooseVersions(tx, project.id, body),
      ...{ pages: { first, last }, minConfidence: body.minConfidence ?? null },
      metadata: checkMetadata(body.metadata ?? {}),
    } as const;
    const made = await startExtraction(tx, caller, run, this.limits);
    if (made === null) return null;
    const detail = { schemaVersionId, documents: run.versionIds.length, mode: run.mode };
    await recordAudit(tx, caller, { ...audited('extraction.created', made), detail });
    return made;
  }
}

function replay(run: ExtractionEntity, digest: Buffer): StartedExtraction {
  return { ...viewExtraction(run), replayed: true, requestMatches: run.request_digest.equals(digest) };
}

function requireLocal(engine: NonNullable<NewExtraction['engine']> | undefined): void {
  if (engine !== 'llm' && engine !== 'hybrid') return;
  throw new DocsvcError(
    'not_implemented',
    `engine: ${engine} needs a model, and this release has none; use local, or auto`,
  );
}

function audited(action: string, { id, project_id: projectId }: ExtractionEntity) {
  return { action, subjectKind: 'extraction', subjectId: id, projectId };
}
