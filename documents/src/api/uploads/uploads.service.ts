import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { requireProject } from '../../core/projects/project-access.js';
import type { RecordTransaction } from '../../core/record/record.js';
import { keepAnswer } from '../../core/requests/idempotency-claim.js';
import { abortUpload } from '../../core/uploads/abort-upload.js';
import { completeUpload } from '../../core/uploads/complete-upload.js';
import { openUpload } from '../../core/uploads/open-upload.js';
import { listOpenUploads, listParts, readMissingRanges, readUpload } from '../../core/uploads/read-upload.js';
import type { UploadSessionEntity } from '../../core/uploads/upload-session.entity.js';
import { checkMetadata, normalizeLabels } from '../../domain/documents/annotations.js';
import { MAX_PARTS, rangeOfPart } from '../../domain/uploads/part-plan.js';
import { answerPage, openPage, type Page, type PageQuery } from '../http/page.js';
import { readPlace, type AddedVersion } from '../documents/document-views.js';
import { DocumentStore } from '../foundation/store.module.js';
import { SignedUrls } from '../addresses/signed-urls.js';
import {
  MAX_SIGNED_PARTS,
  type CompleteUploadBody,
  type NewUploadBody,
  type OpenedUpload,
  type PartCursorQuery,
  type PartUrl,
  type UploadProgress,
  type UploadSession,
} from './uploads.dto.js';

const PARTS_OF_ONE_ANSWER = 1_000;

/** Uploads in parts, but for the parts themselves. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly urls: SignedUrls,
  ) {}

  /** @throws DocsvcError `not_found`, `too_large`, `invalid_request`, `quota_exceeded` */
  async open(caller: Caller, projectId: string, body: NewUploadBody): Promise<OpenedUpload> {
    const asked = {
      orgId: caller.orgId,
      projectId,
      clientId: caller.clientId,
      name: body.name,
      sizeBytes: body.sizeBytes,
      partSizeBytes: body.partSizeBytes,
      contentType: body.contentType ?? null,
      sha256: readSha256(body.sha256),
      metadata: checkMetadata(body.metadata ?? {}),
      labels: normalizeLabels(body.labels ?? []),
    };
    await this.documents.inOrganization(caller, (tx) => requireProject(tx, caller, projectId));
    return openUpload(this.documents, asked, async (tx, id) => {
      await requireProject(tx, caller, projectId);
      const session = await readUpload(tx, id);
      await this.audit(tx, caller, 'upload.opened', session);
      const first = Array.from({ length: Math.min(session.part_count, MAX_SIGNED_PARTS) }, (_, at) => at + 1);
      const opened = { ...this.view(session), partUrls: first.map((number) => this.partUrl(caller, id, number)) };
      // Only this answer names the upload to a client that is to resume it.
      await keepAnswer(tx, opened);
      return opened;
    });
  }

  /** @throws DocsvcError `not_found` */
  async listOpen(caller: Caller, projectId: string, query: PageQuery): Promise<Page<UploadSession>> {
    const list = `uploads of ${projectId}`;
    const page = openPage(caller, list, query);
    const found = await this.documents.inOrganization(caller, async (tx) => {
      await requireProject(tx, caller, projectId);
      return listOpenUploads(tx, projectId, page);
    });
    return answerPage(caller, list, found, (session) => this.view(session));
  }

  /** What has arrived and what is missing (DI-007). @throws DocsvcError `not_found` */
  async read(caller: Caller, id: string, { partCursor }: PartCursorQuery): Promise<UploadProgress> {
    return this.documents.inOrganization(caller, async (tx) => {
      const session = await this.find(tx, caller, id);
      const after = Math.min(Number(partCursor ?? 0), MAX_PARTS);
      const found = await listParts(tx, id, { after, limit: PARTS_OF_ONE_ANSWER + 1 });
      const parts = found.slice(0, PARTS_OF_ONE_ANSWER);
      return {
        ...this.view(session),
        receivedParts: parts.map((part) => ({
          partNumber: part.part_number,
          sizeBytes: part.size_bytes,
          etag: part.etag,
        })),
        nextPartCursor: found.length > parts.length ? (parts.at(-1)?.part_number ?? null) : null,
        missingRanges: await readMissingRanges(tx, session),
      };
    });
  }

  /** @throws DocsvcError `not_found`, `invalid_request` for a part that the upload does not have */
  async signParts(caller: Caller, id: string, partNumbers: readonly number[]): Promise<PartUrl[]> {
    const session = await this.documents.inOrganization(caller, (tx) => this.find(tx, caller, id));
    const plan = {
      sizeBytes: session.size_bytes,
      partSizeBytes: session.part_size_bytes,
      partCount: session.part_count,
    };
    for (const number of partNumbers) rangeOfPart(plan, number);
    return partNumbers.map((number) => this.partUrl(caller, id, number));
  }

  /** @throws DocsvcError as `completeUpload` of core does */
  async complete(caller: Caller, id: string, { parts, sha256 }: CompleteUploadBody): Promise<AddedVersion> {
    await this.documents.inOrganization(caller, (tx) => this.find(tx, caller, id));
    const completion = {
      orgId: caller.orgId,
      uploadId: id,
      parts: parts?.map(({ partNumber, etag }) => ({ partNumber, etag: bare(etag) })) ?? null,
      sha256: readSha256(sha256),
    };
    const made = await completeUpload(this.documents, completion, (tx, place, done) => {
      const { documentId, versionId, version, projectId } = place;
      return recordAudit(tx, caller, {
        action: done === 'made' ? 'version.created' : 'version.resubmitted',
        subjectKind: 'document',
        subjectId: documentId,
        projectId,
        detail: { uploadId: id, versionId, version },
      });
    });
    return this.documents.inOrganization(caller, (tx) => readPlace(tx, made));
  }

  /** @throws DocsvcError `not_found`, `conflict` when it is complete */
  async abort(caller: Caller, id: string): Promise<void> {
    await this.documents.inOrganization(caller, async (tx) => {
      const session = await this.find(tx, caller, id);
      await abortUpload(tx, this.documents.store, id);
      await this.audit(tx, caller, 'upload.aborted', session);
    });
  }

  private async find(tx: RecordTransaction, caller: Caller, id: string): Promise<UploadSessionEntity> {
    const session = await readUpload(tx, id);
    await requireProject(tx, caller, session.project_id, 'there is no such upload');
    return session;
  }

  private audit(tx: RecordTransaction, caller: Caller, action: string, session: UploadSessionEntity): Promise<void> {
    const { id, project_id: projectId, name, size_bytes: sizeBytes } = session;
    return recordAudit(tx, caller, {
      action,
      subjectKind: 'upload',
      subjectId: id,
      projectId,
      detail: { name, sizeBytes },
    });
  }

  private partUrl(caller: Caller, uploadId: string, partNumber: number): PartUrl {
    return { partNumber, headers: {}, ...this.urls.ofPart(caller, uploadId, partNumber) };
  }

  private view(session: UploadSessionEntity): UploadSession {
    return {
      id: session.id,
      projectId: session.project_id,
      documentId: session.document_id,
      name: session.name,
      sizeBytes: session.size_bytes,
      partSizeBytes: session.part_size_bytes,
      partCount: session.part_count,
      status: session.status,
      error: session.error,
      transport: this.documents.store.transport,
      expiresAt: session.expires_at,
      createdAt: session.created_at,
    };
  }
}

function readSha256(hex: string | undefined): Buffer | null {
  return hex === undefined ? null : Buffer.from(hex, 'hex');
}

/** As it stands in the header, with or without quotes. */
function bare(etag: string): string {
  return etag.replace(/^(?:W\/)?"(.*)"$/, '$1').toLowerCase();
}
