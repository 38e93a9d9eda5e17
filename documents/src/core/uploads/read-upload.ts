import { In, MoreThan } from 'typeorm';
import { DocsvcError } from '../../domain/errors.js';
import { missingRanges, type MissingRange } from '../../domain/uploads/part-plan.js';
import { newestPage, type PageRequest, type RowPage } from '../record/newest-page.js';
import type { RecordTransaction } from '../record/record.js';
import { UploadPartEntity } from './upload-part.entity.js';
import { UploadSessionEntity, type UploadStatus } from './upload-session.entity.js';

/** @throws DocsvcError `not_found` */
export async function readUpload(tx: RecordTransaction, id: string): Promise<UploadSessionEntity> {
  const session = await tx.manager.findOneBy(UploadSessionEntity, { id });
  if (session === null) throw new DocsvcError('not_found', 'there is no such upload');
  return session;
}

/** Uploads of a project that have not ended, newest first. */
export function listOpenUploads(
  tx: RecordTransaction,
  projectId: string,
  page: PageRequest,
): Promise<RowPage<UploadSessionEntity>> {
  const status = In<UploadStatus>(['open', 'completing', 'failed']);
  return newestPage(tx, UploadSessionEntity, { org_id: tx.organizationId, project_id: projectId, status }, page);
}

/** Parts that count, by their numbers, after one of them. */
export function listParts(
  tx: RecordTransaction,
  uploadId: string,
  { after, limit }: { after: number; limit: number },
): Promise<UploadPartEntity[]> {
  return tx.manager.find(UploadPartEntity, {
    where: { session_id: uploadId, part_number: MoreThan(after) },
    order: { part_number: 'asc' },
    take: limit,
  });
}

/** What has to be sent yet, over all parts. */
export async function readMissingRanges(tx: RecordTransaction, session: UploadSessionEntity): Promise<MissingRange[]> {
  const parts = await tx.manager.find(UploadPartEntity, {
    select: { session_id: true, part_number: true },
    where: { session_id: session.id },
  });
  return missingRanges(
    session.part_count,
    parts.map(({ part_number }) => part_number),
  );
}
