import { settleUpload } from '../core/uploads/settle-upload.js';
import { appendEvent } from '../core/events/append-event.js';
import { wakeWaiting } from '../core/extractions/wake-extraction.js';
import { finishIngest, sumUpParse, type IngestEnd, type ParseSum } from '../core/ingest/ingest-moves.js';
import type { RecordTransaction } from '../core/record/record.js';
import { sentenceOf, type IngestEnding, type IngestErrorCode } from '../domain/ingest/ingest-errors.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { AttemptRef } from './ingest-steps.js';

/** Nobody has to wait for a version any more that is only kept, so it is told as ready, with its status beside it. */
const EVENT_OF: { readonly [E in IngestEnd]: string } = {
  ready: 'document.ready',
  partial: 'document.partial',
  stored: 'document.ready',
  failed: 'document.failed',
  quarantined: 'document.failed',
};

/** Moves a version to its terminal state and tells of it, both or neither, and once. */
export async function finishVersion(
  on: IngestDependencies,
  ref: AttemptRef,
  parseId: string | null,
  ending: IngestEnding | null,
): Promise<void> {
  await on.record.inOrganization(ref.orgId, async (tx) => {
    const { status, code } = ending ?? (await judgeParse(tx, parseId));
    const error = code === null ? null : { code, message: sentenceOf(code) };
    // Before the version, as everybody locks them.
    await settleUpload(tx, ref, status === 'failed' ? code : null);
    const finished = await finishIngest(tx, ref, { status, parseId, error });
    if (finished === null) return;
    const { projectId, documentId, version } = finished;
    await wakeWaiting(tx, ref.versionId);
    const document = `/api/documents/${documentId}`;
    await appendEvent(tx, {
      type: EVENT_OF[status],
      projectId,
      data: {
        documentId,
        documentVersionId: ref.versionId,
        version,
        status,
        ...(error === null ? {} : { error }),
        links: { document, version: `${document}/versions/${version}` },
      },
    });
  });
  on.passwords.forget(ref);
}

async function judgeParse(
  tx: RecordTransaction,
  parseId: string | null,
): Promise<{ status: IngestEnd; code: IngestErrorCode | null }> {
  if (parseId === null) return { status: 'failed', code: 'internal' };
  const { readPages, failedPages }: ParseSum = await sumUpParse(tx, parseId);
  if (readPages === 0) return { status: 'failed', code: 'no_page_read' };
  return { status: failedPages > 0 ? 'partial' : 'ready', code: null };
}
