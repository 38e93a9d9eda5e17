import { createHash } from 'node:crypto';
import { newRowId } from '../../../src/platform/postgres/row-id.js';
import {
  beginIngest,
  identifyVersion,
  openParse,
  pagesOfMonth,
  type Identified,
  type IngestSubject,
} from '../core/ingest/ingest-moves.js';
import { settleUpload } from '../core/uploads/settle-upload.js';
import { CHECKSUM_MISMATCH, endingOf, type IngestEnding } from '../domain/ingest/ingest-errors.js';
import { describeReading, readOptionsOf, type ReadOptions } from '../domain/ingest/read-options.js';
import type { Inspection, ParseFailure } from '../domain/page-model.js';
import type { Sniffed } from '../platform/parsing/sniff-request.js';
import { hashBlob } from './hash-version.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { AttemptRef, Validated } from './ingest-steps.js';

/** Hashes the bytes where that is not done yet, finds out what they are, and opens what is to hold their pages. */
export async function validateVersion(
  on: IngestDependencies,
  ref: AttemptRef,
  signal: AbortSignal,
): Promise<Validated> {
  const subject = await on.record.inOrganization(ref.orgId, (tx) => beginIngest(tx, ref.versionId));
  if (subject === null || subject.attempt !== ref.attempt) return { next: 'leave' };
  if ((await on.store.head(subject.blobKey)) === null) return end('failed', 'blob_missing');
  const sha256 = subject.sha256 ?? (await hashBlob(on.store, subject.blobKey, signal));
  if (subject.declaredSha256 !== null && subject.declaredSha256 !== sha256) return end('failed', CHECKSUM_MISMATCH);
  // Whatever becomes of the version, the upload is complete.
  await on.record.inOrganization(ref.orgId, (tx) => settleUpload(tx, ref, null));
  const document = await on.store.localFile(subject.blobKey);
  const sniffed = only(await on.reader.sniff(document, { name: subject.documentName }, signal));
  if ('failure' in sniffed) return { next: 'end', ending: endingOf(sniffed.failure) };
  return new Validation(on, ref, subject, { sha256, ...sniffed }, document).decide(signal);
}

function end(status: IngestEnding['status'], code: IngestEnding['code']): Validated {
  return { next: 'end', ending: { status, code } };
}

/** The bytes are those that the client meant, and it is known what they are. */
class Validation {
  private readonly options: ReadOptions;

  constructor(
    private readonly on: IngestDependencies,
    private readonly ref: AttemptRef,
    private readonly subject: IngestSubject,
    private readonly found: Identified & Sniffed,
    private readonly document: string,
  ) {
    this.options = readOptionsOf(subject.parseOptions, subject.projectSettings);
  }

  async decide(signal: AbortSignal): Promise<Validated> {
    const { on, ref, subject, found } = this;
    if (found.kind === 'other') return this.leaveUnread({ status: 'stored', code: 'type_not_readable' });
    if (subject.sizeBytes > on.maxParseBytes) return this.leaveUnread({ status: 'stored', code: 'too_large_to_read' });
    const password = await this.password();
    if (password === null) return this.leaveUnread({ status: 'failed', code: 'password_required' });
    const inspected = only(await on.reader.inspect(this.document, found.format, password, signal));
    if ('failure' in inspected) return this.leaveUnread(endingOf(inspected.failure));
    const pageCount = inspected.pageCount ?? 1;
    const ofMonth = await on.record.inOrganization(ref.orgId, (tx) => pagesOfMonth(tx));
    if (ofMonth + pageCount > on.pagesPerMonth) return this.leaveUnread({ status: 'failed', code: 'quota_exceeded' });
    return this.open(inspected, pageCount);
  }

  /** Null where one was sent, but not to this worker, or it was forgotten when a worker died. */
  private async password(): Promise<{ password?: string } | null> {
    if (!this.options.withPassword) return {};
    const password = await this.on.passwords.find(this.ref);
    return password === null ? null : { password };
  }

  private async leaveUnread(ending: IngestEnding): Promise<Validated> {
    const { on, ref, found } = this;
    await on.record.inOrganization(ref.orgId, (tx) => identifyVersion(tx, ref, found));
    return { next: 'end', ending };
  }

  private async open({ warnings }: Inspection, pageCount: number): Promise<Validated> {
    const { on, ref, subject, found, options } = this;
    const optionsDigest = createHash('sha256').update(describeReading(options)).digest();
    const opened = await on.record.inOrganization(ref.orgId, (tx) =>
      openParse(tx, ref, found, { id: newRowId(), optionsDigest, pageCount, warnings }),
    );
    if (opened === null) return { next: 'leave' };
    const { parseId, reused } = opened;
    if (reused) return { next: 'use', parseId };
    const { blobKey } = subject;
    return { next: 'read', parse: { ...ref, parseId, blobKey, format: found.format, options, pageCount } };
  }
}

/** The one answer of a program that gives one. */
function only<T extends object>({
  items,
  failure,
}: {
  items: T[];
  failure: ParseFailure | null;
}): T | { failure: ParseFailure } {
  if (failure !== null) return { failure };
  return items[0] ?? { failure: { kind: 'crashed', message: 'the parser answered nothing' } };
}
