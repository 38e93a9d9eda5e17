import { In, LessThan, MoreThan, Raw, type FindOptionsWhere } from 'typeorm';
import { DocsvcError } from '../../domain/errors.js';
import { missingRanges, type MissingRange } from '../../domain/uploads/part-plan.js';
import type { RecordTransaction } from '../record/record.js';
import { UploadPartEntity } from './upload-part.entity.js';
import { UploadSessionEntity } from './upload-session.entity.js';

/** Where the last page of a list ended. */
export interface ListPosition {
  createdAt: Date;
  id: string;
}

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
  { before, limit }: { before: ListPosition | null; limit: number },
): Promise<UploadSessionEntity[]> {
  const open: FindOptionsWhere<UploadSessionEntity> = {
    org_id: tx.organizationId,
    project_id: projectId,
    status: In(['open', 'completing', 'failed']),
  };
  const older: FindOptionsWhere<UploadSessionEntity>[] =
    before === null
      ? [open]
      : [
          { ...open, created_at: LessThan(before.createdAt) },
          {
            ...open,
            created_at: Raw((column) => `${column} = :at`, { at: before.createdAt }),
            id: LessThan(before.id),
          },
        ];
  return tx.manager.find(UploadSessionEntity, {
    where: older,
    order: { created_at: 'desc', id: 'desc' },
    take: limit,
  });
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
